import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { Connection } from '../../../controller/runtime/client/connection.ts';
import { openAuthority } from '../../../hack/controlplane/pki.ts';
import { HOST } from '../../../hack/controlplane/ports.ts';
import { type Fault, sound, type Treatment } from './proxyfaults.ts';

/** A way to an API server that a test can break and mend. It ends TLS, so it sees each request. */
export interface Way {
  /** Leads over the way under the identity that it was opened for; for a bearer token, any identity's will do. */
  connection: Connection;
  /** Breaks it from now on, or mends it with `sound`; connections that hang end. */
  set(fault: Fault): void;
  /** How many requests have come whose first line holds these words. */
  asked(words: string): number;
  close(): void;
}

/** Opens a way on a free local port to where the connection leads. */
export async function openWay(to: Connection): Promise<Way> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-way-'));
  const authority = await openAuthority(folder, 'way').finally(() => rmSync(folder, { recursive: true }));
  const pair = await authority.issue({ commonName: 'way', hosts: [HOST] });
  const lines = new Set<Line>();
  let fault: Fault = sound;
  const requests: string[] = [];
  const treat: Fault['treat'] = (request) => {
    requests.push(request);
    return fault.treat(request);
  };
  const isDelayed = (request: string) => fault.delays?.(request) ?? false;
  const server = createServer(pair, (client) => {
    const line = new Line({ client, to, treat, isDelayed, ended: () => lines.delete(line) });
    lines.add(line);
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the way has no port');
  return {
    connection: { ...to, server: `https://${HOST}:${address.port}`, tls: { ca: authority.ca } },
    set(next) {
      fault = next;
      for (const line of [...lines]) line.meet(next);
    },
    asked: (words) => requests.filter((request) => request.includes(words)).length,
    close() {
      server.close();
      for (const line of [...lines]) line.end();
    },
  };
}

interface LineParts {
  client: TLSSocket;
  to: Connection;
  treat: Fault['treat'];
  /** Whether answers to it are held back now. */
  isDelayed(request: string): boolean;
  ended(): void;
}

/** One connection from a client, and the one to the server that it goes on in. */
class Line {
  readonly #parts: LineParts;
  readonly #server: TLSSocket;
  /** Of the request that is under way. */
  #request = '';
  #treatment: Treatment = 'pass';
  #frozen = false;
  /** Ends when everything that came late has been sent on. */
  #late: Promise<void> = Promise.resolve();

  constructor(parts: LineParts) {
    this.#parts = parts;
    const { client, to } = parts;
    this.#server = connect({ ...to.tls, host: HOST, port: Number(new URL(to.server).port) });
    for (const socket of [client, this.#server]) {
      socket.on('error', () => this.end());
      socket.on('close', () => this.end());
    }
    client.on('data', (bytes: Buffer) => this.#asks(bytes));
    this.#server.on('data', (bytes: Buffer) => this.#answers(bytes));
  }

  /** A fault begins, or another one, or none. */
  meet({ open }: Fault): void {
    if (this.#frozen || this.#treatment === 'hang' || open === 'break') this.end();
    else this.#frozen = open === 'freeze';
    this.#delay();
  }

  /** What the server sends meanwhile stays on its side of the line. */
  #delay(): void {
    if (this.#parts.isDelayed(this.#request)) this.#server.pause();
    else this.#server.resume();
  }

  end(): void {
    this.#parts.client.destroy();
    this.#server.destroy();
    this.#parts.ended();
  }

  #asks(bytes: Buffer): void {
    const request = firstLine(bytes);
    if (request !== undefined) {
      this.#treatment = this.#parts.treat(request);
      this.#request = request;
      this.#delay();
    }
    const treatment = this.#treatment;
    if (this.#frozen || treatment === 'hang') return;
    if (treatment === 'break') this.end();
    else if (treatment === 'fail') this.#parts.client.end(FAILURE);
    else if (typeof treatment === 'object') this.#treat(bytes, treatment);
    else this.#server.write(bytes);
  }

  #treat(bytes: Buffer, treatment: Treatment & object): void {
    if ('late' in treatment) this.#sendLate(bytes, treatment.late);
    else this.#parts.client.end(answerOf(treatment.page, 'text/html', '<h1>Nothing here</h1>'));
  }

  #sendLate(bytes: Buffer, ms: number): void {
    const arrived = Bun.sleep(ms);
    this.#late = Promise.all([this.#late, arrived]).then(() => void this.#server.write(bytes));
  }

  #answers(bytes: Buffer): void {
    if (this.#frozen || this.#treatment === 'hang') return;
    const { client } = this.#parts;
    if (this.#treatment === 'cut') client.end(bytes.subarray(0, bytes.length / 2), () => this.end());
    else client.write(bytes);
  }
}

const answerOf = (code: number, type: string, body: string): string =>
  [
    `HTTP/1.1 ${code} Told`,
    `content-type: ${type}`,
    'connection: close',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');

const FAILURE = answerOf(500, 'application/json', '{}');

/** The first line of a request that begins with these bytes; undefined within a request. */
const firstLine = (bytes: Buffer): string | undefined => /^[A-Z]+ \S+ HTTP\/1\.1(?=\r\n)/.exec(bytes.toString())?.[0];
