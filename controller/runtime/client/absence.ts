import type { Clock } from '../clock.ts';
import type { Resource } from '../k8s/object.ts';
import type { Api } from './api.ts';
import { ApiError } from './errors.ts';

/** Time between the two answers of discovery that have to agree, milliseconds: longer than a server takes to start. */
const TWICE_MS = 5_000;

/** How often a server that does not serve a resource is asked again, milliseconds. */
const AGAIN_MS = 10_000;

/** Time for an answer of discovery, milliseconds. */
const ANSWER_MS = 10_000;

/** What finding out needs. */
export interface AbsenceParts {
  api: Api;
  clock: Clock;
  resource: Resource;
  signal: AbortSignal;
}

/**
 * Finds out whether a 404 means what it says. A proxy gives 404 as well, and so does an API server that is starting
 * (kubernetes#71218, #104342): that a resource is not served is believed when discovery says so, too, and says it twice.
 */
export class Absence {
  readonly #parts: AbsenceParts;
  /** Since when discovery agrees. */
  #since: number | undefined;
  #proved = false;

  constructor(parts: AbsenceParts) {
    this.#parts = parts;
  }

  /** Judges the failure of a list or a watch; answers whether the resource is not served, beyond doubt. */
  async provedBy(error: unknown): Promise<boolean> {
    const agrees = isUnserved(error) && (await servedOn(this.#parts)) === false;
    if (!agrees) return this.forget();
    const now = this.#parts.clock.monotonic();
    this.#since ??= now;
    this.#proved = now - this.#since >= TWICE_MS;
    return this.#proved;
  }

  /** The resource is served, or nobody knows. */
  forget(): false {
    this.#since = undefined;
    this.#proved = false;
    return false;
  }

  /** When the server is to be asked again, milliseconds from now; undefined while nothing speaks for absence. */
  get againMs(): number | undefined {
    if (this.#since === undefined) return undefined;
    return this.#proved ? AGAIN_MS : TWICE_MS;
  }
}

/** The server knows no such path: with a Status, or with the text page that API servers and proxies have for that. */
const isUnserved = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** Whether the server serves the resource, as discovery has it; undefined when it does not answer, or not with discovery. */
async function servedOn(parts: AbsenceParts): Promise<boolean | undefined> {
  const { group, version, plural } = parts.resource;
  if (group === '') return undefined;
  const groupVersion = `${group}/${version}`;
  const list = await answerOf(parts, `/apis/${groupVersion}`);
  if (list !== 'unserved') return namesIn(list, groupVersion)?.includes(plural);
  const groups = await answerOf(parts, '/apis');
  return groupVersionsIn(groups)?.includes(groupVersion);
}

/** The names of an APIResourceList (metav1) of this group and version; undefined for anything else. */
function namesIn(answer: unknown, groupVersion: string): string[] | undefined {
  const list = answer as { kind?: string; groupVersion?: string; resources?: Array<{ name: string }> } | undefined;
  if (list?.kind !== 'APIResourceList' || list.groupVersion !== groupVersion) return undefined;
  return list.resources?.map(({ name }) => name);
}

/** The versions of all groups of an APIGroupList (metav1); undefined for anything else, and for one without any group. */
function groupVersionsIn(answer: unknown): string[] | undefined {
  const list = answer as { kind?: string; groups?: Array<{ versions: Array<{ groupVersion: string }> }> } | undefined;
  if (list?.kind !== 'APIGroupList' || !list.groups?.length) return undefined;
  return list.groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion));
}

/** What a path of discovery answers; undefined when it does not answer. Throws the signal's reason when that aborts. */
async function answerOf({ api, signal }: AbsenceParts, path: string): Promise<unknown> {
  try {
    return await api.request('GET', path, { signal, timeoutMs: ANSWER_MS });
  } catch (error) {
    signal.throwIfAborted();
    return isUnserved(error) ? 'unserved' : undefined;
  }
}
