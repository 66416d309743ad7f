import { afterAll } from 'bun:test';
import { type Lint, Parser } from './source.ts';

/** For tests of a lint: what it says about one file, as `line: sentence`. Ends the parser after the test file. */
export function trial(lint: Lint): (path: string, text: string) => Promise<string[]> {
  const parser = new Parser();
  afterAll(() => parser.close());
  return async (path, text) => {
    const sources = await parser.parse({ [path]: text });
    return sources.flatMap(lint).map(({ line, message }) => `${line}: ${message}`);
  };
}
