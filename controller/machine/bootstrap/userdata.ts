/**
 * The user data that a new VM gets: the class's, with what is the Machine's own in the place of marks (MCM 6.13). Values
 * consist of letters, digits, dots and dashes, so they are the same in a URL.
 */

/** The key of a class's secret under which the user data stands. */
const USER_DATA = 'userData';

/** What marks stand for. */
export interface Personal {
  machineName: string;
  /** `id.secret` of a bootstrap token. */
  token?: string | undefined;
}

/** Whether the user data asks for a bootstrap token. Whatever has no user data asks for nothing: its driver decides. */
export const wantsToken = ({ [USER_DATA]: text = '' }: Readonly<Record<string, string>>): boolean =>
  formsOf('BOOTSTRAP_TOKEN').some((mark) => text.includes(mark));

/** The secret data with the Machine's own words in the user data; nothing else is touched. */
export function personalized(
  data: Readonly<Record<string, string>>,
  { machineName, token }: Personal,
): Record<string, string> {
  const text = data[USER_DATA];
  if (text === undefined) return { ...data };
  const named = replaced(text, 'MACHINE_NAME', machineName);
  return { ...data, [USER_DATA]: token === undefined ? named : replaced(named, 'BOOTSTRAP_TOKEN', token) };
}

/** As people write a mark, and as it looks in a URL. */
const formsOf = (mark: string): string[] => [`<<${mark}>>`, encodeURIComponent(`<<${mark}>>`)];

const replaced = (text: string, mark: string, value: string): string =>
  formsOf(mark).reduce((changed, form) => changed.replaceAll(form, () => value), text);
