import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard } from '../lib/guard.ts';
import { type Binaries, openPlane, type Plane, startPlane } from './plane.ts';

export interface ThrowAway extends Plane {
  /** A folder for this plane's files, gone with it. */
  folder: string;
  /** Ends the servers and removes the folder. Happens by itself when this process ends, even by SIGKILL. */
  end(): Promise<void>;
}

/** Starts a control plane that does not outlive this process and leaves nothing behind. */
export async function startThrowAway(binaries: Binaries, flags: readonly string[] = []): Promise<ThrowAway> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  const { release } = guard(folder);
  try {
    const plane = await openPlane({ folder, binaries, flags, durable: false });
    await startPlane(plane);
    return { ...plane, folder, end: release };
  } catch (error) {
    await release();
    throw error;
  }
}
