import type { Answer, ApiServer, Request } from '../world/apiserver.ts';
import { silent, type Trace } from './trace.ts';

/** An API server of a run: knows who writes, and tells it. */
export class Server {
  readonly api: ApiServer;
  /** Nobody reaches it. */
  down = false;
  /** Who makes the request that is being answered. */
  actor = 'nobody';
  readonly #trace: Trace;

  constructor(api: ApiServer, trace: Trace) {
    this.api = api;
    this.#trace = trace;
  }

  /** Answers a request of somebody. */
  handle(who: string, request: Request): Answer {
    this.actor = who;
    const answer = this.api.handle(request);
    this.actor = 'nobody';
    if (this.#trace !== silent && request.method !== 'GET') this.#note(who, request, answer);
    return answer;
  }

  #note(who: string, { method, path, body }: Request, answer: Answer): void {
    if ('watch' in answer || /\/(?:leases|events)\b/.test(path)) return;
    const { code } = answer;
    const says = code < 300 ? {} : { says: (answer.body as { message?: string }).message };
    this.#trace.note(who, `${method} ${path}`, { code, ...says, ...(body && { body }) });
  }
}
