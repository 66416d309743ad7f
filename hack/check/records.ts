import type { Finding } from './source.ts';

const RECORD = /^hack\/decisions\/(\d{4})-[\w-]+\.md$/;

/** Records of decisions are cited by their number: each has one of its own, and its heading says the same. */
export function recordsLint(files: ReadonlyArray<{ path: string; text: string }>): Finding[] {
  const records = files.flatMap(({ path, text }) => {
    const number = path.match(RECORD)?.[1];
    return number === undefined ? [] : [{ path, number, heading: text.split('\n', 1)[0] ?? '' }];
  });
  return records.flatMap(({ path, number, heading }, index) => [
    ...(heading.startsWith(`# ${Number(number)}. `)
      ? []
      : [{ path, line: 1, message: `the heading must begin with "# ${Number(number)}. "` }]),
    ...(records.findIndex((record) => record.number === number) === index
      ? []
      : [{ path, line: 1, message: `another decision has the number ${number} already` }]),
  ]);
}
