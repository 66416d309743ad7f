import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { systemRandom as random } from '../../controller/runtime/random.ts';
import { LOCAL } from '../fixtures/local.ts';
import { ApiServer } from '../world/apiserver.ts';
import { requestOf, responseOf } from '../world/connection.ts';

/** What a target is asked for and holds open. */
export interface TargetCounts {
  watches: number;
  /** Requests so far, watches included. */
  requests: number;
}

/** API servers in memory, each on a port of its own, in a process of their own: targets that cost what is measured little. */
export interface Targets extends Disposable {
  pid: number;
  /** URLs. */
  servers: readonly string[];
  /** From now on these neither answer nor tell their watches anything; all others do. */
  hang(indexes: readonly number[]): Promise<void>;
  counts(): Promise<TargetCounts[]>;
}

/** Starts so many targets; they end when they are disposed of. */
export async function startTargets(count: number): Promise<Targets> {
  const command = [process.execPath, import.meta.path, String(count)];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
  for await (const line of child.stdout.pipeThrough(new TextDecoderStream())) {
    const [desk = '', ...servers] = JSON.parse(line) as string[];
    return {
      pid: child.pid,
      servers,
      hang: async (indexes) => void (await fetch(`${desk}/hang`, { method: 'POST', body: JSON.stringify(indexes) })),
      counts: async () => (await fetch(`${desk}/counts`)).json() as Promise<TargetCounts[]>,
      [Symbol.dispose]: () => child.kill(),
    };
  }
  throw new Error(`the targets ended with code ${await child.exited} before they listened`);
}

/** One target. */
class Target {
  readonly counts: TargetCounts = { watches: 0, requests: 0 };
  hangs = false;
  readonly #server = new ApiServer({ clock, random });

  async answer(request: Request): Promise<Response> {
    this.counts.requests += 1;
    const { method, url, headers } = request;
    const body = await request.text();
    await this.#unlessHanging();
    const asked = { method, headers: Object.fromEntries(headers), ...(body && { body }) };
    const answer = this.#server.handle(requestOf(url, asked));
    return responseOf('watch' in answer ? { watch: this.#told(answer.watch) } : answer, request.signal);
  }

  async #unlessHanging(): Promise<void> {
    if (this.hangs) await new Promise(() => {});
  }

  /** The same watch, counted, and silent while the target hangs. */
  #told(watch: Watch): Watch {
    return (sink) => {
      this.counts.watches += 1;
      const stop = watch({ ...sink, line: (text) => this.hangs || sink.line(text) });
      return () => {
        this.counts.watches -= 1;
        stop();
      };
    };
  }
}

type Watch = Extract<ReturnType<ApiServer['handle']>, { watch: unknown }>['watch'];

/** Serves the targets, and a desk that is told what they are to do. */
function serve(count: number): string[] {
  const targets = Array.from({ length: count }, () => new Target());
  const ports = targets.map((target) => Bun.serve({ ...LOCAL, fetch: (request) => target.answer(request) }).port);
  const desk = Bun.serve({
    ...LOCAL,
    routes: {
      '/counts': () => Response.json(targets.map(({ counts }) => counts)),
      '/hang': async (request) => {
        const indexes = new Set((await request.json()) as number[]);
        for (const [index, target] of targets.entries()) target.hangs = indexes.has(index);
        return new Response();
      },
    },
  });
  return [desk.port, ...ports].map((port) => `http://127.0.0.1:${port}`);
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(serve(Number(process.argv[2])))}\n`);
