/** Where to connect to, and what to ask there again and again. */
export interface Asked {
  url: string;
  /** PEM certificate of the server's authority. */
  ca: string;
  /** Posted each time. */
  body: string;
}

/** A kept connection over TLS that makes one request at a time. */
export interface Connection {
  /** Makes the request; the body of the answer. Throws when it is no success. */
  ask(): Promise<string>;
  close(): void;
}

interface Answered {
  resolve(body: string): void;
  reject(reason: unknown): void;
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Opens one. It speaks as much HTTP as it takes, since a whole client costs more than the servers that are measured. */
export async function openConnection({ url, ca, body }: Asked): Promise<Connection> {
  const { hostname, port, pathname } = new URL(url);
  const request = requestOf(`${hostname}:${port}`, pathname, body);
  let waiting: Answered | undefined;
  let received = '';
  let sent = 0;
  const end = (problem: unknown) => waiting?.reject(new Error(`${url} gave no answer`, { cause: problem }));
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    tls: { ca },
    socket: {
      data(_socket, bytes) {
        received += bytes.toString('latin1');
        if (isWhole(received)) waiting?.resolve(received);
      },
      drain(open) {
        sent += open.write(request, sent);
      },
      error: (_socket, error) => end(error),
      close: () => end('the connection was closed'),
    },
  });
  return {
    async ask() {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      waiting = { resolve, reject };
      received = '';
      sent = socket.write(request);
      return bodyOf(await promise, url);
    },
    close: () => socket.end(),
  };
}

function requestOf(host: string, path: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}`;
  return Buffer.concat([Buffer.from(head + HEAD_END), bytes]);
}

/** Whether all of an answer is there, which is of a length that was told, or in chunks (RFC 9112 6). */
function isWhole(received: string): boolean {
  const head = received.indexOf(HEAD_END);
  if (head < 0) return false;
  const length = received.slice(0, head).match(/^content-length: *(\d+)/im)?.[1];
  return length === undefined
    ? received.endsWith(LAST_CHUNK)
    : received.length >= head + HEAD_END.length + Number(length);
}

function bodyOf(answer: string, url: string): string {
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`${url} answered ${answer}`);
  return answer.slice(answer.indexOf(HEAD_END) + HEAD_END.length);
}
