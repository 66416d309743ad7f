import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readElf } from './elf.ts';
import { librariesOf } from './libraries.ts';

const root = mkdtempSync(join(tmpdir(), 'libraries-'));
afterAll(() => rmSync(root, { recursive: true }));

const MACHINES = { amd64: 62, arm64: 183 };
const HEADER = 64;
const SEGMENT = 56;

/** The smallest file that says this of itself: a header, three segments, and what they hold. */
function elf({ machine, interpreter, needed }: { machine: 'amd64' | 'arm64'; interpreter?: string; needed: string[] }) {
  const bytes = Buffer.alloc(1024);
  bytes.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  bytes.writeUInt16LE(MACHINES[machine], 18);
  bytes.writeBigUInt64LE(BigInt(HEADER), 32);
  bytes.writeUInt16LE(SEGMENT, 54);
  bytes.writeUInt16LE(3, 56);
  const ADDRESS = 0x10000;
  const [strings, dynamic, path] = [256, 512, 768];
  const segment = (index: number, [type, offset, size]: [number, number, number]) => {
    const at = HEADER + index * SEGMENT;
    bytes.writeUInt32LE(type, at);
    bytes.writeBigUInt64LE(BigInt(offset), at + 8);
    bytes.writeBigUInt64LE(BigInt(ADDRESS + offset), at + 16);
    bytes.writeBigUInt64LE(BigInt(size), at + 32);
  };
  const entries: [number, number][] = [[5, ADDRESS + strings]];
  let end = 1;
  for (const name of needed) {
    bytes.write(`${name}\0`, strings + end, 'latin1');
    entries.push([1, end]);
    end += name.length + 1;
  }
  for (const [index, [tag, value]] of entries.entries()) {
    bytes.writeBigInt64LE(BigInt(tag), dynamic + index * 16);
    bytes.writeBigUInt64LE(BigInt(value), dynamic + index * 16 + 8);
  }
  bytes.write(`${interpreter ?? ''}\0`, path, 'latin1');
  segment(0, [1, 0, bytes.length]);
  segment(1, [2, dynamic, entries.length * 16]);
  segment(2, [interpreter ? 3 : 0, path, 64]);
  return new Uint8Array(bytes);
}

const program = readElf(elf({ machine: 'arm64', interpreter: '/lib/ld-linux-aarch64.so.1', needed: ['libm.so.6'] }));

test('a program says what it is for, what loads it and what it needs', () => {
  expect(program).toEqual({ machine: 'arm64', interpreter: '/lib/ld-linux-aarch64.so.1', needed: ['libm.so.6'] });
});

test('the Bun that runs this is such a program', async () => {
  const own = readElf(await Bun.file(process.execPath).bytes());
  expect(own.needed).toContain('libc.so.6');
  expect(own.interpreter).toContain('/ld-linux');
});

test.each([
  ['', 'a script'],
  ['\x7fELF\x01\x01', 'a program of 32 bits'],
])('%p is refused: %s', (start) => {
  expect(() => readElf(new Uint8Array(Buffer.from(start.padEnd(100))))).toThrow('this is no ELF file of 64 bits');
});

describe('what a program needs is looked for', () => {
  const put = async (path: string, content: Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    await Bun.write(join(root, path), content);
  };
  beforeAll(async () => {
    await put('lib/ld-linux-aarch64.so.1', elf({ machine: 'arm64', needed: [] }));
    await put('lib/aarch64-linux-gnu/libm.so.6', elf({ machine: 'amd64', needed: [] }));
    await put('usr/lib/aarch64-linux-gnu/libm.so.6', elf({ machine: 'arm64', needed: ['libc.so.6'] }));
    await put('lib64/libc.so.6', elf({ machine: 'arm64', needed: ['ld-linux-aarch64.so.1'] }));
  });

  test('and what that needs, each once, among files of its architecture only', () => {
    const found = librariesOf(program, { root, arch: 'arm64' });
    expect(found.map(({ path, mode }) => [path, mode])).toEqual([
      ['lib/ld-linux-aarch64.so.1', 0o755],
      ['usr/lib/aarch64-linux-gnu/libm.so.6', 0o755],
      ['lib64/libc.so.6', 0o755],
    ]);
  });

  test('and one that is missing is named', () => {
    const greedy = { ...program, needed: ['libnone.so.1'] };
    expect(() => librariesOf(greedy, { root, arch: 'arm64' })).toThrow(
      `${root}/lib/aarch64-linux-gnu/libnone.so.1 is not there`,
    );
  });

  test('for the architecture of the program', () => {
    expect(() => librariesOf(program, { root, arch: 'amd64' })).toThrow('compiled for arm64, not for amd64');
  });
});
