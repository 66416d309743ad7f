import { reviewOf } from '../admission/review.ts';
import machine from '../bench/testdata/machine.json';
import { openCaller, type Target } from './caller.ts';
import { startListening } from './listening.ts';

/**
 * `bun test/soak/rotation.ts`: exchanges the certificate 100 times during 100,000 requests, prints what came of it, and
 * ends with 1 when a request failed. `rotation.test.ts` does the same for a second or two.
 */

/** What to do. */
export interface RotationOrder {
  requests: number;
  rotations: number;
}

/** What came of it. */
export interface RotationResult {
  /** Answered, over connections that are kept. */
  kept: number;
  /** Answered, each over a connection of its own. */
  oneShot: number;
  /** Why requests failed. */
  failures: string[];
  rotations: number;
  /** How many different certificates connections were shown. */
  certificates: number;
  seconds: number;
}

/** As many clients of each sort at the same time. */
const CLIENTS = 6;

/** Rotates the certificate of a listener under load, evenly over all requests, and counts what fails. */
export async function rotateUnderLoad({ requests, rotations }: RotationOrder): Promise<RotationResult> {
  const listening = await startListening();
  const target = { ...listening, path: '/validate', body: JSON.stringify(reviewOf({ now: machine })) };
  const begin = performance.now();
  const tally = new Tally(requests);
  try {
    await Promise.all([
      rotateEvenly(tally, rotations, () => listening.rotate()),
      ...Array.from({ length: CLIENTS }, () => callOverOne(target, tally)),
      ...Array.from({ length: CLIENTS }, () => callOverMany(target, tally)),
    ]);
  } finally {
    await listening.end();
  }
  const { kept, oneShot, failures, rotated, serials } = tally;
  const seconds = (performance.now() - begin) / 1000;
  return { kept, oneShot, failures, rotations: rotated, certificates: serials.size, seconds };
}

/** What happened so far. */
class Tally {
  readonly #wanted: number;
  kept = 0;
  oneShot = 0;
  rotated = 0;
  readonly failures: string[] = [];
  readonly serials = new Set<string>();

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** The share of all requests that are done. */
  get share(): number {
    return (this.kept + this.oneShot + this.failures.length) / this.#wanted;
  }
}

async function rotateEvenly(tally: Tally, rotations: number, rotate: () => Promise<void>): Promise<void> {
  while (tally.rotated < rotations) {
    if (tally.share < tally.rotated / rotations) await Bun.sleep(1);
    else await rotate().then(() => tally.rotated++);
  }
}

/** One connection for all calls, and another when it breaks. */
async function callOverOne(target: Omit<Target, 'kept'>, tally: Tally): Promise<void> {
  while (tally.share < 1) {
    await withCaller({ ...target, kept: true }, tally, async (call) => {
      while (tally.share < 1) {
        await call();
        tally.kept++;
      }
    });
  }
}

/** A connection for each call. */
async function callOverMany(target: Omit<Target, 'kept'>, tally: Tally): Promise<void> {
  while (tally.share < 1) {
    await withCaller({ ...target, kept: false }, tally, async (call) => {
      await call();
      tally.oneShot++;
    });
  }
}

type Use = (call: () => Promise<void>) => Promise<void>;

async function withCaller(target: Target, tally: Tally, use: Use): Promise<void> {
  try {
    const caller = await openCaller(target);
    tally.serials.add(caller.serial);
    await use(async () => expectAllowed(await caller.call()));
    caller.close();
  } catch (error) {
    tally.failures.push(String(error));
  }
}

function expectAllowed(body: string): void {
  if (!body.includes('"allowed":true')) throw new Error(`answered ${body}`);
}

if (import.meta.main) {
  const result = await rotateUnderLoad({ requests: 100_000, rotations: 100 });
  console.log(JSON.stringify(result, null, 2));
  process.exit(result.failures.length === 0 ? 0 : 1);
}
