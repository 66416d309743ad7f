import { readFileSync, statSync } from 'node:fs';

/**
 * The text of a file that others replace from time to time, such as a mounted token. It is read anew as soon as the file
 * is another one: a look at that costs microseconds.
 */
export class TextFile {
  readonly #path: string;
  #stamp = '';
  #text = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** The text without white space around it. Throws when the file cannot be read, or holds nothing. */
  read(): string {
    try {
      this.#update();
    } catch (error) {
      throw new Error(`${this.#path} cannot be read`, { cause: error });
    }
    if (this.#text === '') throw new Error(`${this.#path} is empty`);
    return this.#text;
  }

  /** The next `read` reads the file in any case. */
  forget(): void {
    this.#stamp = '';
  }

  #update(): void {
    const { ino, mtimeMs, size } = statSync(this.#path);
    const stamp = `${ino} ${mtimeMs} ${size}`;
    if (stamp === this.#stamp) return;
    this.#text = readFileSync(this.#path, 'utf8').trim();
    this.#stamp = stamp;
  }
}
