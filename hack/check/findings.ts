import type { Finding } from './source.ts';

const RECORD = /^hack\/decisions\/(\d{4})-answer-[\w-]+\.md$/;
const ROW = /^\| (\w+) \|.*\| ([^|]*) \|$/;

interface TextFile {
  path: string;
  text: string;
}

/** Each finding of a review is held by tests: those that its row names are there, and say its number (hack/decisions/0028). */
export function findingsLint(files: readonly TextFile[]): Finding[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return files.flatMap(({ path, text }) => {
    const record = RECORD.exec(path)?.[1];
    if (record === undefined) return [];
    const faults = (row: string) => faultsOf(record, row, texts);
    return text.split('\n').flatMap((row, index) => faults(row).map((message) => ({ path, line: index + 1, message })));
  });
}

function faultsOf(record: string, row: string, texts: ReadonlyMap<string, string>): string[] {
  const [, id = '', tests = ''] = ROW.exec(row) ?? [];
  if (!/^[A-Z]\d+/.test(id)) return [];
  const named = [...tests.matchAll(/`([^`\s]+\.ts)`/g)].map(([, path = '']) => path);
  return [
    ...(named.length > 0 ? [] : [`${id} names no test`]),
    ...named.flatMap((path) => {
      const text = texts.get(path);
      if (text === undefined) return [`${id} names ${path}, which is not there`];
      return cites(text, record, id) ? [] : [`${path} does not say "hack/decisions/${record} ${id}"`];
    }),
  ];
}

/** Whether a line of the text cites the record with this number, alone or among others. */
const cites = (text: string, record: string, id: string): boolean =>
  text.split('\n').some((line) => line.split(`${record} `)[1]?.split(/\W+/).includes(id) ?? false);
