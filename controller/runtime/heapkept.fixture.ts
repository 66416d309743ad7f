import { heapSize } from 'bun:jsc';

const [TEXTS, LENGTH] = [500, 100_000];

/** Which share of many long texts is held by what is made of them. */
export async function heapKept(keep: (text: string) => unknown): Promise<number> {
  const kept: unknown[] = [];
  Bun.gc(true);
  const before = heapSize();
  for (let at = 0; at < TEXTS; at++) kept.push(await keep(Buffer.alloc(LENGTH, `${at} `).toString()));
  Bun.gc(true);
  return (heapSize() - before) / (kept.length * LENGTH);
}
