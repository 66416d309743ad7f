import type { Fields, Level, Log } from './log.ts';

/** One line that was logged, fields of parent logs included. */
export interface Line {
  level: Level;
  message: string;
  fields: Fields;
}

/** A log that keeps its lines for a test to look at. */
export class FakeLog implements Log {
  readonly lines: Line[];
  readonly #fields: Fields;

  constructor(fields: Fields = {}, lines: Line[] = []) {
    this.#fields = fields;
    this.lines = lines;
  }

  debug(message: string, fields?: Fields): void {
    this.#keep('debug', message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#keep('info', message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#keep('warn', message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#keep('error', message, fields);
  }

  child(fields: Fields): Log {
    return new FakeLog({ ...this.#fields, ...fields }, this.lines);
  }

  #keep(level: Level, message: string, fields: Fields = {}): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
