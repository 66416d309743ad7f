import pino from 'pino';
import type { Clock } from '../clock.ts';
import { microTimestamp } from '../k8s/object.ts';

/** What a line tells beside its message: plain values; an Error under the key `error` keeps stack and causes. */
export type Fields = Readonly<Record<string, unknown>>;

/** Levels from chatty to grave; a log writes its own level and the graver ones. */
export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

/** Writes one JSON line a call. The message is constant; whatever varies is a field. */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A log that adds these fields to each of its lines. */
  child(fields: Fields): Log;
}

/** Where lines go; each ends with a newline. */
export interface Sink {
  write(line: string): void;
}

/** Keys whose values are never written: a safety net, for keeping secrets out of fields is the caller's business. */
const hidden = new Set(['token', 'secret', 'password', 'data']);

/** How far below a line's fields values are written; also what ends a cycle. */
const DEEPEST = 8;

/** A log to standard output, written synchronously, so that the last line before an exit is not lost. */
export function createLog({ clock, level = 'info', sink }: { clock: Clock; level?: Level; sink?: Sink }): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    errorKey: 'error',
    timestamp: () => `,"time":"${microTimestamp(clock.now())}"`,
    formatters: { level: (label) => ({ level: label }), log: (fields) => hide(fields) as Record<string, unknown> },
    serializers: { error: (error) => hide(pino.stdSerializers.errWithCause(error)) },
  };
  return wrap(pino(options, sink ?? pino.destination({ dest: 1, sync: true })));
}

/** pino takes the fields first; ours come last, and may be absent. */
const wrap = (logger: pino.Logger): Log => ({
  debug: (message, fields) => logger.debug(fields ?? {}, message),
  info: (message, fields) => logger.info(fields ?? {}, message),
  warn: (message, fields) => logger.warn(fields ?? {}, message),
  error: (message, fields) => logger.error(fields ?? {}, message),
  child: (fields) => wrap(logger.child(hide(fields) as pino.Bindings)),
});

/** Longest text, and longest list, that is written: others choose the names and messages that are logged. */
const LONGEST = { text: 8192, list: 200 };

/** A copy without the values of hidden keys, cut where it is too long. Errors are left to their serializer. */
function hide(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.length > LONGEST.text ? `${value.slice(0, LONGEST.text)}…` : value;
  if (value === null || typeof value !== 'object' || value instanceof Error || 'toJSON' in value) return value;
  if (depth > DEEPEST) return '[deeper]';
  if (Array.isArray(value)) return value.slice(0, LONGEST.list).map((item) => hide(item, depth + 1));
  const entries = Object.entries(value).map(([key, part]) => [
    key,
    hidden.has(key.toLowerCase()) ? '[hidden]' : hide(part, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
