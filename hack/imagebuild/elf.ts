/** What a program or library for Linux says of itself. */
export interface Elf {
  machine: 'amd64' | 'arm64' | 'another';
  /** Path of the program that loads its libraries; absent in a library, and in a program that needs none. */
  interpreter?: string;
  /** Names of the libraries that it needs. */
  needed: string[];
}

const MACHINES: Readonly<Record<number, Elf['machine']>> = { 62: 'amd64', 183: 'arm64' };

/** Types of segments. */
const LOAD = 1;
const DYNAMIC = 2;
const INTERPRETER = 3;

/** Tags of entries of the dynamic segment. */
const NEEDED = 1n;
const STRING_TABLE = 5n;

interface Segment {
  type: number;
  offset: number;
  address: number;
  size: number;
}

/** Reads the parts of an ELF file of 64 bits that matter to a loader (System V ABI, chapters 4 and 5); throws for another. */
export function readElf(bytes: Uint8Array<ArrayBuffer>): Elf {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 64 || view.getUint32(0) !== 0x7f454c46 || bytes[4] !== 2 || bytes[5] !== 1)
    throw new Error('this is no ELF file of 64 bits, least byte first');
  const segments = readSegments(view);
  const interpreter = segments.find(({ type }) => type === INTERPRETER);
  return {
    machine: MACHINES[view.getUint16(18, true)] ?? 'another',
    ...(interpreter && { interpreter: textAt(bytes, interpreter.offset) }),
    needed: neededBy(bytes, view, segments),
  };
}

function readSegments(view: DataView): Segment[] {
  const [first, size, count] = [position(view, 32), view.getUint16(54, true), view.getUint16(56, true)];
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * size;
    return {
      type: view.getUint32(at, true),
      offset: position(view, at + 8),
      address: position(view, at + 16),
      size: position(view, at + 32),
    };
  });
}

function neededBy(bytes: Uint8Array, view: DataView, segments: readonly Segment[]): string[] {
  const dynamic = segments.find(({ type }) => type === DYNAMIC);
  if (!dynamic) return [];
  const entries = Array.from({ length: dynamic.size / 16 }, (_, index) => {
    const at = dynamic.offset + index * 16;
    return { tag: view.getBigInt64(at, true), value: position(view, at + 8) };
  });
  const strings = entries.find(({ tag }) => tag === STRING_TABLE);
  if (!strings) return [];
  const start = offsetOf(strings.value, segments);
  return entries.filter(({ tag }) => tag === NEEDED).map(({ value }) => textAt(bytes, start + value));
}

/** Where in the file stands what is at an address in memory. */
function offsetOf(address: number, segments: readonly Segment[]): number {
  const holds = ({ type, address: start, size }: Segment) =>
    type === LOAD && address >= start && address < start + size;
  const segment = segments.find(holds);
  if (!segment) throw new Error(`no part of the ELF file is loaded to address ${address}`);
  return address - segment.address + segment.offset;
}

const position = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

const textAt = (bytes: Uint8Array, at: number): string =>
  Buffer.from(bytes.subarray(at, bytes.indexOf(0, at))).toString('latin1');
