import type { Log } from '../observability/log.ts';

/** How many different texts are logged, and how much of one, in characters; API servers cut theirs at 256. */
const MOST = { texts: 200, text: 512 };

/**
 * Logs what API servers warn of in the header Warning (RFC 7234, 5.5), as of deprecated versions or fields that are not known: each
 * text once, as client-go does (rest/warnings.go), and no more texts than a server that is sound has.
 */
export class Warnings {
  readonly #log: Log;
  readonly #told = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** @param header its values as one, null where there is none; @param call the call that was answered so, for people */
  tell(header: string | null, call: string): void {
    if (header === null) return;
    for (const text of warningsIn(header)) {
      if (this.#told.has(text) || this.#told.size >= MOST.texts) continue;
      this.#told.add(text);
      this.#log.warn('API server warns', { warning: text, call });
    }
  }
}

/** The texts of the warnings with code 299, as `299 - "a is deprecated"`. */
export function warningsIn(header: string): string[] {
  const texts: string[] = [];
  for (let at = header.indexOf('299 '); at !== -1; at = header.indexOf('299 ', at)) {
    const quote = header.indexOf('"', at);
    if (quote === -1) break;
    const { text, end } = quotedAt(header, quote + 1);
    texts.push(text);
    at = end;
  }
  return texts;
}

/** A quoted text from its first character on, without the backslashes before characters, and where it ends. */
function quotedAt(header: string, start: number): { text: string; end: number } {
  let text = '';
  let at = start;
  for (; at < header.length && header[at] !== '"'; at++) {
    if (header[at] === '\\') at++;
    if (text.length < MOST.text) text += header[at] ?? '';
  }
  return { text, end: at + 1 };
}
