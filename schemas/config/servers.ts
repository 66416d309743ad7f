import { isIP } from 'node:net';
import type { ValueKind } from './value.ts';

/** A part of a DNS name. */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Servers, separated by commas: addresses, networks (CIDR), names, and suffixes of names that begin with a dot. */
export const serversOrNone: ValueKind<string[]> = {
  takes: 'server,…',
  read(given) {
    const servers = given
      .toLowerCase()
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return servers.every(isServer) ? servers : undefined;
  },
  complaint:
    'is not a list of servers such as 10.0.0.0/8, fd00::1, api.example.com or .example.com, separated by commas',
};

function isServer(text: string): boolean {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  if (length === undefined) return family !== 0 || isName(text);
  return family !== 0 && more.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128);
}

/** A DNS name, or with a dot before it all names below it; what is but digits would be an address. */
function isName(text: string): boolean {
  const labels = (text.startsWith('.') ? text.slice(1) : text).split('.');
  return text.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
}
