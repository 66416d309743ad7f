import { connect, type TLSSocket } from 'node:tls';

/** Where to call, and what to send. */
export interface Target {
  port: number;
  ca: string;
  path: string;
  body: string;
  /** Whether the connection stays open for more than one call. */
  kept: boolean;
}

/** Calls over a connection of its own, HTTP/1.1 by hand: a client that tries again by itself would hide a failure. */
export interface Caller {
  /** Serial number of the certificate that the connection was shown. */
  serial: string;
  /** The body of the answer. Throws when there is no whole answer with status 200. */
  call(): Promise<string>;
  close(): void;
}

/** Opens a connection. Throws when that fails. */
export async function openCaller({ port, ca, path, body, kept }: Target): Promise<Caller> {
  const socket = connect({ port, host: '127.0.0.1', ca });
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: webhook',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Connection: ${kept ? 'keep-alive' : 'close'}`,
  ];
  const request = `${head.join('\r\n')}\r\n\r\n${body}`;
  return {
    serial: socket.getPeerCertificate().serialNumber,
    call() {
      const answer = readAnswer(socket);
      socket.write(request);
      return answer;
    },
    close: () => socket.destroy(),
  };
}

/** Reads one answer that tells its length. */
function readAnswer(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    let read = '';
    const settle = (end: () => void) => {
      socket.off('data', take).off('error', fail).off('close', cut);
      end();
    };
    const take = (data: Buffer) => {
      read += data.toString('latin1');
      const body = bodyIn(read);
      if (body !== undefined) settle(() => (isSuccess(read) ? resolve(body) : reject(new Error(`answered ${read}`))));
    };
    const fail = (error: Error) => settle(() => reject(error));
    const cut = () =>
      settle(() => reject(new Error(`the connection was cut after ${read.length} bytes of the answer`)));
    socket.on('data', take).on('error', fail).on('close', cut);
  });
}

const isSuccess = (answer: string): boolean => answer.startsWith('HTTP/1.1 200 ');

/** The body of an answer, or undefined while some of it is missing. */
function bodyIn(answer: string): string | undefined {
  const end = answer.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, Math.max(0, end)))?.[1];
  if (end < 0 || length === undefined) return undefined;
  const body = answer.slice(end + 4);
  return body.length < Number(length) ? undefined : body;
}
