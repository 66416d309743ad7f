import type { Clock } from '../clock.ts';
import { compareVersions } from '../k8s/object.ts';
import { HistoryLost } from './events.ts';

/**
 * Whether a server still has the history of which a watch has seen a part. An etcd that was restored from a backup goes back to an older
 * version, and continues from there: a watch that continues from a newer version receives nothing until the store has passed that version,
 * and never what was lost, or written in between. So a watch whose connection broke, or that is silent, asks for the current version first
 * (hack/decisions/0051 L115).
 */
export class History {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** A connection that was silent for so long says nothing of versions, milliseconds. */
  readonly #idleMs: number;
  /** When the server last spoke of a version: by a list, an event or a bookmark. */
  #spokeAt = 0;
  /** The latest connection ended otherwise than it was asked to: the server may be another than it was. */
  #isCut = false;
  #wentBackAt: number | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>, idleMs: number) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** When it was last found that history went back, on the monotonic clock; undefined for never. */
  get wentBackAt(): number | undefined {
    return this.#wentBackAt;
  }

  /** The version need not be asked for: the server has just sent one, and no connection broke since. */
  get isKnown(): boolean {
    return !this.#isCut && !this.#isSilent;
  }

  get #isSilent(): boolean {
    return this.#clock.monotonic() - this.#spokeAt >= this.#idleMs;
  }

  /** A list, an event or a bookmark came, of a request or a message at this time. */
  spoke(at: number): void {
    this.#spokeAt = at;
  }

  /** All was listed anew. */
  listed(at: number): void {
    this.#spokeAt = at;
    this.#isCut = false;
  }

  /** A connection begins; whatever ends it counts as a cut until {@link ranOut}. */
  connects(): void {
    this.#isCut = true;
  }

  /** The server let a connection run out. @param isInTime it lasted for as long as it was asked to */
  ranOut(isInTime: boolean): void {
    this.#isCut = !isInTime;
  }

  /** An attempt failed. */
  failed(error: unknown): void {
    if (error instanceof HistoryLost) this.#wentBackAt = this.#clock.monotonic();
  }

  /**
   * Judges the version that the server has come to now by the one that was seen; throws HistoryLost if it went back.
   * Answers whether the server was silent while it went on.
   */
  goesOn(seen: string, version: string): boolean {
    const order = compareVersions(version, seen);
    if (order < 0) throw new HistoryLost(seen, version);
    const isSilent = this.#isSilent;
    this.#isCut = false;
    if (isSilent) this.#spokeAt = this.#clock.monotonic();
    return isSilent && order > 0;
  }
}
