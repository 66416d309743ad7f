import type { CallOptions } from '../client/api.ts';
import { ApiError } from '../client/errors.ts';
import type { Lease } from '../k8s/core.ts';
import type { KubeObject } from '../k8s/object.ts';
import type { CandidateOptions } from './candidate.ts';

/** An answer that is no success. */
export const refusal = (status: number, reason: string) => new ApiError(`refused: ${reason}`, { status, reason });

/** One Lease object on a server that checks versions, as its clients see it. */
export class LeaseServer {
  lease: Lease | undefined;
  writes = 0;
  #version = 0;

  /** A client; `way` may fail or hang each of its calls before the server sees them. */
  client(way: (signal?: AbortSignal) => Promise<void> = async () => {}): CandidateOptions['api'] {
    const after = async <T>(options: CallOptions | undefined, answer: () => Lease): Promise<T> => {
      await way(options?.signal);
      return structuredClone(answer()) as unknown as T;
    };
    return {
      get: (_resource, _ref, options) => after(options, () => this.#found()),
      create: (_resource, object, options) => after(options, () => this.#create(object)),
      replace: (_resource, object, options) => after(options, () => this.#replace(object)),
    };
  }

  #found(): Lease {
    if (!this.lease) throw refusal(404, 'NotFound');
    return this.lease;
  }

  #create(object: KubeObject): Lease {
    if (this.lease) throw refusal(409, 'AlreadyExists');
    return this.#write(object);
  }

  #replace(object: KubeObject): Lease {
    if (this.#found().metadata.resourceVersion !== object.metadata.resourceVersion) throw refusal(409, 'Conflict');
    return this.#write(object);
  }

  #write(object: KubeObject): Lease {
    this.writes++;
    this.lease = structuredClone(object) as Lease;
    this.lease.metadata.resourceVersion = `${++this.#version}`;
    return this.lease;
  }
}
