/** Rows of hack/decisions/0051 about machines and sets for which no code is changed, and why. */
export const unlisted: Readonly<Record<string, string>> = {
  L25: 'it says what is gone: there is no code to change',
  L67: 'taken back: what is left of it is one more question before a deletion',
  L124: 'left as it was: no code is changed',
};
