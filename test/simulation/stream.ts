import type { WatchSink } from '../world/watching.ts';
import type { LinkParts } from './link.ts';

const encoder = new TextEncoder();

/** Milliseconds that a line of a watch takes; now and then a server is late by more. */
const LATENCY = { from: 1, to: 15, late: 2_000, lateRate: 0.02 };

/** How long a connection may be silent before the network gives it up. */
const SILENCE_MS = 120_000;

/** A link, and the path of what is watched over it. */
type Watching = LinkParts & { path: string };

/** The answer to a watch: lines come in order, each after a while, some twice, until the connection ends, breaks or falls silent. */
export function watchResponse(
  link: Watching,
  watch: (sink: WatchSink) => () => void,
  signal: AbortSignal | null | undefined,
): Response {
  let stop = () => {};
  let left = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      let unhear = () => {};
      const lines = new LineStream(link, controller, () => {
        stop();
        unhear();
      });
      stop = watch(lines);
      unhear = link.server.onTurn(() => lines.turned());
      lines.turned();
      left = () => lines.left();
      signal?.addEventListener('abort', () => lines.fail(signal.reason), { once: true });
    },
    cancel: () => left(),
  });
  return new Response(stream);
}

/** A list that breaks in the middle. */
export function tornResponse({ clock, lifetime }: LinkParts, { body }: { body: object }): Response {
  const bytes = encoder.encode(JSON.stringify(body));
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.slice(0, bytes.length / 2));
      const cut = () => controller.error(new Error('the connection was cut'));
      clock.after(LATENCY.to, () => lifetime.deliver(cut));
    },
  });
  return new Response(stream);
}

/** Lines on their way to the client. */
class LineStream implements WatchSink {
  readonly #link: Watching;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #stop: () => void;
  #lastAt = 0;
  #state: 'open' | 'silent' | 'over' = 'open';

  constructor(link: Watching, controller: ReadableStreamDefaultController<Uint8Array>, stop: () => void) {
    this.#link = link;
    this.#controller = controller;
    this.#stop = stop;
  }

  line(text: string): void {
    const { chance, trace, who, lifetime, server } = this.#link;
    const rates = this.#link.faultRates();
    if (lifetime.dead) this.#stop();
    if (lifetime.dead || this.#state !== 'open') return;
    if (server.outage?.mode === 'hangs') server.whenBack(() => this.line(text));
    else if (lifetime.cut || chance.happens(rates.watchBreaks)) this.#break();
    else if (chance.happens(rates.watchStalls)) {
      trace.note(who, `a watch of ${server.name} falls silent`);
      this.#state = 'silent';
      const timedOut = () => this.fail(new Error('the connection timed out'));
      this.#link.clock.after(SILENCE_MS, () => lifetime.deliver(timedOut));
    } else this.#tell(text);
  }

  /** The server leaves, or is back. */
  turned(): void {
    const { mode } = this.#link.server.outage ?? {};
    if (this.#state === 'open' && (mode === 'refuses' || mode === 'cuts')) this.#break();
  }

  #close(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#stop();
    this.#controller.close();
  }

  #break(): void {
    const { trace, who, server } = this.#link;
    trace.note(who, `a watch of ${server.name} breaks`);
    this.#later(() => this.fail(new Error('the connection was cut')));
  }

  #tell(text: string): void {
    const { chance } = this.#link;
    const bytes = encoder.encode(text);
    for (let times = chance.happens(this.#link.faultRates().repeatedLine) ? 2 : 1; times > 0; times--)
      this.#later(() => this.#state === 'open' && this.#controller.enqueue(bytes));
  }

  end(): void {
    const { server } = this.#link;
    if (server.outage?.mode === 'hangs') server.whenBack(() => this.end());
    else this.#later(() => this.#close());
  }

  /** The client has gone away. */
  left(): void {
    this.#state = 'over';
    this.#stop();
  }

  /** The client sees the connection end within the stream. */
  fail(error: unknown): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#stop();
    this.#controller.error(error);
  }

  #later(run: () => void): void {
    const { clock, chance, lifetime, lag, path } = this.#link;
    const late = (chance.happens(LATENCY.lateRate) ? LATENCY.late : 0) + lag(path);
    this.#lastAt = Math.max(this.#lastAt, clock.now() + chance.between(LATENCY.from, LATENCY.to) + late);
    clock.after(this.#lastAt - clock.now(), () => lifetime.deliver(run));
  }
}
