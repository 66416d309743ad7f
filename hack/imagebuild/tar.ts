import { dirname } from 'node:path';

/** A file or, without content, a folder. */
export interface Entry {
  /** Path without a slash at either end. */
  path: string;
  content?: Uint8Array | string;
  /** Permissions; 0644 for a file and 0755 for a folder unless said. */
  mode?: number;
}

const BLOCK = 512;
const NAME_LENGTH = 100;
const [FILE, FOLDER] = ['0', '5'];

/**
 * The entries, and the folders that hold them, as a tar file (POSIX ustar) that depends on nothing else: sorted by path,
 * all of root's, and all from one time.
 * @param seconds that time, since 1970
 */
export function tar(entries: readonly Entry[], seconds: number): Buffer<ArrayBuffer> {
  const parts = withFolders(entries).flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [header(entry, content.length, seconds), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function withFolders(entries: readonly Entry[]): Entry[] {
  const all = new Map<string, Entry>();
  for (const { path } of entries) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) all.set(folder, { path: folder });
  }
  for (const entry of entries) all.set(entry.path, entry);
  return [...all.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

function header({ path, content, mode }: Entry, size: number, seconds: number): Buffer {
  const name = content === undefined ? `${path}/` : path;
  if (Buffer.byteLength(name) > NAME_LENGTH)
    throw new Error(`${name} cannot be put into a tar file: its name has more than ${NAME_LENGTH} bytes`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  block.write(name, 0);
  octal(mode ?? (content === undefined ? 0o755 : 0o644), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(seconds, 136, 12);
  block.write(content === undefined ? FOLDER : FILE, 156);
  block.write('ustar\x0000', 257, 'latin1');
  block.fill(' ', 148, 156);
  block.write(`${sum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

const sum = (block: Buffer): number => block.reduce((total, byte) => total + byte, 0);
