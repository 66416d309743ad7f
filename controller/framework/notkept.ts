/** A write that an API server answered with yes, and whose content is not there: its admission, or somebody else, took that back. */
export class NotKept extends Error {
  constructor(what: string) {
    super(`accepted, but not kept: ${what}`);
    this.name = 'NotKept';
  }
}
