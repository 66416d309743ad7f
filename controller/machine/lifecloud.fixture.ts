import { jsonResponse, requestOf } from '../../test/world/connection.ts';
import type { Driver, VmAnswer } from '../drivers/sdk/driver.ts';
import { DriverError } from '../drivers/sdk/errors.ts';
import type { Connection } from '../runtime/client/connection.ts';

/** Who has a VM to tell of as soon as it was made. */
export const cloudOf = (vm: VmAnswer): Partial<Driver> => {
  let isMade = false;
  return {
    createMachine: async () => {
      isMade = true;
      return vm;
    },
    deleteMachine: async () => {
      isMade = false;
      return {};
    },
    getMachineStatus: async () => {
      if (!isMade) throw new DriverError('NotFound', 'there is no such VM');
      return vm;
    },
  };
};

/** What the API server says no to. */
export interface No {
  status: number;
  message: string;
}

/** What becomes of writes. */
interface Judge {
  /** Each of them: method, path, body. */
  sent: string[];
  /** Why it is refused; undefined for one that is not. */
  refuse(write: string): No | undefined;
  /** It is answered with 200 and the object as it was. */
  takeBack(write: string): boolean;
}

/** What an API server calls these answers; any other is `Forbidden`. */
const REASONS: Readonly<Record<number, string>> = { 409: 'Conflict', 429: 'TooManyRequests', 500: 'InternalError' };

/** A connection that notes what is written, and refuses what the judge says. */
export function judged(connection: Connection, judge: Judge): Connection {
  const { send = fetch } = connection;
  const answer = (url: string, init: BunFetchRequestInit) => {
    const { method, path, body } = requestOf(url, init);
    const write = `${method} ${path.replace(/^\/api.*v1(alpha1)?\//, '')} ${body ?? ''}`;
    if (method === 'GET') return send(url, init);
    judge.sent.push(write);
    if (judge.takeBack(write)) return send(url.split('?')[0] ?? url, { ...init, method: 'GET' });
    const no = judge.refuse(write);
    const reason = REASONS[no?.status ?? 0] ?? 'Forbidden';
    const status = no && { kind: 'Status', status: 'Failure', reason, message: no.message, code: no.status };
    return no && status ? Promise.resolve(jsonResponse({ code: no.status, body: status })) : send(url, init);
  };
  return { ...connection, send: async (url, init) => answer(url, init) };
}
