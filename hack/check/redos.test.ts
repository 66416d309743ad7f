import { expect, test } from 'bun:test';
import { redosFindings } from './redos.ts';

// hack/decisions/0028 W1

const PATIENCE_MS = 60_000;
const place = { path: 'schemas/duration.ts', line: 1 };
const judged = async ({ source, flags }: RegExp): Promise<string[]> =>
  (await redosFindings([{ ...place, source, flags }])).map(({ message }) => message);

test.each([
  [/(a+)+$/, 'exponential'],
  [/^(a|a)*$/, 'exponential'],
  [/^([a-zA-Z0-9])(([-.]|[_]+)?([a-zA-Z0-9]+))*$/, 'exponential'],
  [/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy, 'polynomial of degree 2'], // of durations, once
  [/(\d+\.?\d*|\.\d+)(ns|us)/, 'polynomial of degree 3'],
  [/(\d+(?:\.\d*)?|\.\d+)(ns|us)/g, 'polynomial of degree 2'], // unambiguous, but begun anew at each digit
  [/[\w-]*\d[\w-]*/g, 'polynomial of degree 2'], // of words with a digit, once
  [/\[([^\]]*)\]|[^.[\]]+/g, 'polynomial of degree 2'], // of paths of fields, once
  [/\s+$/, 'polynomial of degree 2'],
  [/^(.*),(.*),(.*)$/, 'polynomial of degree 3'],
])(
  'finds %p, which is %s',
  async (expression, cost) => {
    expect(await judged(expression)).toEqual([expect.stringContaining(`takes ${cost} time`)]);
  },
  PATIENCE_MS,
);

test.each([/^(\d+(?:\.\d*)?|\.\d+)(ns|us)$/, /[\w-]+/g, /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/])(
  'takes %p, which is linear',
  async (expression) => {
    expect(await judged(expression)).toEqual([]);
  },
  PATIENCE_MS,
);

test.each([/(a*)\1/, /(?<=a*)b/])(
  'takes no %p, of which it cannot tell',
  async (expression) => {
    expect(await judged(expression)).toEqual([expect.stringContaining('cannot be judged')]);
  },
  PATIENCE_MS,
);
