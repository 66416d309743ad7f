import { connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Shares } from './lanes.ts';

/** From the first byte of a request to the first of its answer, in looks: the API server itself gives up after 5 s. */
const REQUEST_LOOKS = 10;
/** A larger request takes no more than a part of what its client may have, so that a few cannot keep the many small ones out. */
const SMALL_BYTES = 64 * 1024;
const LARGE_PART = 3 / 4;

const WORDS = 'Too many requests are in work.';
/** On which the API server tries again, until its own patience ends and it refuses the request. */
const BUSY = [
  'HTTP/1.1 429 Too Many Requests',
  'Content-Type: text/plain',
  `Content-Length: ${WORDS.length}`,
  'Retry-After: 1',
  'Connection: close',
  '',
  WORDS,
].join('\r\n');

/** What a passage is made of. */
export interface PassageParts {
  outer: TLSSocket;
  /** IP address of the client. */
  address: string;
  /** Path of the socket to which the plain stream goes. */
  unix: string;
  /** Bytes of requests that have not been answered yet, of all clients. */
  room: Shares;
  /** Called for each request that there is no room for. */
  turnedAway(): void;
}

/**
 * A connection of a client from the end of its TLS handshake on: bytes are passed both ways, and those of a request are
 * charged to the client as they come, until its answer begins. Nothing of HTTP needs to be read for that: bytes that come
 * in begin a request, bytes that go out end it.
 */
export class Passage {
  readonly #parts: PassageParts;
  readonly #inner: Socket;
  /** Bytes of the request that comes in. */
  #bytes = 0;
  /** Looks since that request began to come in; 0 while there is none. */
  #looks = 0;
  /** Looks since a byte last went either way. */
  #idle = 0;
  #isTurnedAway = false;
  #isRetired = false;

  constructor(parts: PassageParts) {
    const { outer, unix } = parts;
    this.#parts = parts;
    this.#inner = connect(unix);
    const inner = this.#inner;
    // Before the bytes are passed on.
    outer.on('data', ({ length }: Buffer) => this.#comesIn(length));
    inner.on('data', () => this.#goesOut());
    // An end is passed on after the last byte; a side that breaks takes the other with it.
    outer.pipe(inner).pipe(outer);
    outer.on('error', () => inner.destroy());
    outer.once('close', () => {
      this.#free();
      inner.destroy();
    });
    inner.on('error', () => outer.end());
  }

  /** Whether a request has begun to come in and no answer has begun to go out. */
  get isBusy(): boolean {
    return this.#looks > 0;
  }

  /** The connection ends as soon as no request is under way on it. */
  retire(): void {
    this.#isRetired = true;
  }

  /**
   * A look, one a second: ends the connection when its request, once begun, is not answered in time, because its client
   * trickles it or never sends all of it, or when nobody has used it for so many looks.
   */
  look(mostIdle: number): void {
    if (this.#looks > REQUEST_LOOKS || this.#idle > mostIdle) this.#parts.outer.destroy();
    else if (this.#isRetired && this.#looks === 0 && this.#idle > 0) this.#parts.outer.end();
    if (this.#looks > 0) this.#looks++;
    this.#idle++;
  }

  #comesIn(bytes: number): void {
    this.#looks ||= 1;
    this.#idle = 0;
    if (this.#isTurnedAway) return;
    const { room, address } = this.#parts;
    const isLarge = this.#bytes + bytes > SMALL_BYTES;
    if (room.take(address, bytes, isLarge ? LARGE_PART : 1)) this.#bytes += bytes;
    else this.#turnAway();
  }

  #goesOut(): void {
    this.#looks = 0;
    this.#idle = 0;
    this.#free();
  }

  #free(): void {
    if (this.#bytes > 0) this.#parts.room.give(this.#parts.address, this.#bytes);
    this.#bytes = 0;
  }

  /** The rest of the request is read and forgotten: a client that is cut off while it still sends may lose the answer. */
  #turnAway(): void {
    const { outer, turnedAway } = this.#parts;
    this.#isTurnedAway = true;
    this.#free();
    outer.unpipe(this.#inner);
    this.#inner.unpipe(outer);
    this.#inner.destroy();
    outer.write(BUSY);
    outer.resume();
    turnedAway();
  }
}
