import { isIP } from 'node:net';
import * as v from 'valibot';
import { parseDuration } from '../duration.ts';
import { isLabelKey, isLabelValue } from '../selector.ts';

/** How the text of a setting becomes its value. */
export interface ValueKind<T> {
  /** What help and reference show in place of a value, for example `duration`. */
  takes: string;
  /** The value, or undefined when the text is none of this kind. */
  read(text: string): T | undefined;
  /** Ends the sentence `"abc" …` about a text that is none of this kind. */
  complaint: string;
}

/** One setting: its kind, its default as a user would write it, and a sentence for help and reference. */
export function setting<T>(kind: ValueKind<T>, fallback: string, description: string) {
  return v.pipe(
    v.optional(v.string(), fallback),
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      const value = kind.read(dataset.value);
      if (value !== undefined) return value;
      addIssue({ message: `${JSON.stringify(dataset.value)} ${kind.complaint}` });
      return NEVER;
    }),
    v.metadata({ takes: kind.takes }),
    v.description(description),
  );
}

/** Any text, also an empty one. */
export const text = (takes: string): ValueKind<string> => ({
  takes,
  read: (given) => given,
  complaint: 'is not text',
});

/** A name as Kubernetes takes it for namespaces and Services (RFC 1123 label). */
export const name: ValueKind<string> = {
  takes: 'name',
  read: (given) => (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(given) ? given : undefined),
  complaint: 'is not a name; give at most 63 small letters, digits and dashes',
};

/** Such a name, or an empty text for none. */
export const nameOrNone: ValueKind<string> = { ...name, read: (given) => (given === '' ? '' : name.read(given)) };

/** An id that can stand in a label, or an empty text for none. */
export const idOrNone: ValueKind<string> = {
  takes: 'id',
  read: (given) => (isLabelValue(given) ? given : undefined),
  complaint:
    'is not an id that a label can carry; write up to 63 letters, digits, -, _ and ., with a letter or digit at each end',
};

/** A Go duration of 0 or more; the value is in milliseconds. */
export const duration: ValueKind<number> = {
  takes: 'duration',
  read(given) {
    const ms = parseDuration(given);
    return ms === undefined || ms < 0 ? undefined : ms;
  },
  complaint: 'is not a duration of 0 or more; write it with its unit, such as 30s, 10m or 1h30m',
};

/** A Go duration of at least `least` milliseconds; the value is in milliseconds. */
export const durationFrom = (least: number): ValueKind<number> => ({
  takes: 'duration',
  read: (given) => atLeast(least, duration.read(given)),
  complaint: `is not a duration of at least ${least / 1000}s; write it with its unit, such as 30s, 10m or 1h30m`,
});

/** A whole number of at least `least`. */
export const wholeFrom = (least: number): ValueKind<number> => ({
  takes: 'number',
  read: (given) => (/^\d{1,9}$/.test(given) ? atLeast(least, Number(given)) : undefined),
  complaint: `is not a whole number of at least ${least}`,
});

/** A number above 0, with or without a fraction. */
export const rate: ValueKind<number> = {
  takes: 'number',
  read: (given) => (/^\d{1,9}(\.\d+)?$/.test(given) && Number(given) > 0 ? Number(given) : undefined),
  complaint: 'is not a number above 0',
};

/** A share as a whole percentage; the value is the number before the sign. */
export const percentage: ValueKind<number> = {
  takes: 'percentage',
  read(given) {
    const [, digits] = /^(\d{1,3})%$/.exec(given) ?? [];
    return digits !== undefined && Number(digits) <= 100 ? Number(digits) : undefined;
  },
  complaint: 'is not a percentage; write it as 55%',
};

/** A number of at least 1, or a share of something. */
export const countOrPercentage: ValueKind<{ count: number } | { percent: number }> = {
  takes: 'number|percentage',
  read(given) {
    const percent = percentage.read(given);
    if (percent !== undefined) return { percent };
    const count = wholeFrom(1).read(given);
    return count === undefined ? undefined : { count };
  },
  complaint: 'is neither a whole number of at least 1 nor a percentage such as 10%',
};

/** A TCP port; 0 means any free one. */
export const port: ValueKind<number> = {
  takes: 'port',
  read: (given) => (/^\d{1,5}$/.test(given) && Number(given) <= 65535 ? Number(given) : undefined),
  complaint: 'is not a port; give a number from 1 to 65535, or 0 for any free port',
};

/** An IPv4 or IPv6 address. */
export const address: ValueKind<string> = {
  takes: 'IP address',
  read: (given) => (isIP(given) ? given : undefined),
  complaint: 'is not an IP address; give one such as 0.0.0.0, 127.0.0.1 or ::',
};

/** Such an address, or an empty text for all addresses. */
export const addressOrAll: ValueKind<string> = {
  ...address,
  read: (given) => (given === '' ? '' : address.read(given)),
};

/** Yes or no, in all of Go's spellings (package strconv, ParseBool). */
export const yesNo: ValueKind<boolean> = {
  takes: 'true|false',
  read(given) {
    if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(given)) return true;
    return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(given) ? false : undefined;
  },
  complaint: 'is neither true nor false',
};

/** One word out of a closed list. */
export const oneOf = <const W extends string>(words: readonly W[]): ValueKind<W> => ({
  takes: words.join('|'),
  read: (given) => words.find((word) => word === given),
  complaint: `is not one of ${words.join(', ')}`,
});

/** Names separated by commas; an empty text is an empty list. */
export const list: ValueKind<string[]> = {
  takes: 'name,…',
  read: (given) => separate(given),
  complaint: 'is not a list separated by commas',
};

/** Words out of a closed list, separated by commas; `*` means all of them. */
export const someOf = <const W extends string>(words: readonly W[]): ValueKind<W[]> => ({
  takes: '*|name,…',
  read(given) {
    if (given.trim() === '*') return [...words];
    const wanted = separate(given);
    const known = words.filter((word) => wanted.includes(word));
    return wanted.length > 0 && wanted.every((word) => known.some((one) => one === word)) ? known : undefined;
  },
  complaint: `is not a list out of ${words.join(', ')}; * means all of them`,
});

/**
 * Likewise; an empty text is none of them, and beside `*` a word after a `-` is left out, as of `--controllers` of
 * kube-controller-manager.
 */
export const someOrNone = <const W extends string>(words: readonly W[]): ValueKind<W[]> => {
  const some = someOf(words);
  return {
    ...some,
    read(given) {
      if (given.trim() === '') return [];
      const wanted = separate(given);
      if (!wanted.includes('*')) return some.read(given);
      const known = ['*', ...words.map((word) => `-${word}`)];
      return wanted.every((one) => known.includes(one))
        ? words.filter((word) => !wanted.includes(`-${word}`))
        : undefined;
    },
    complaint: `${some.complaint}, *,-${words[0]} all but that, and an empty text none`,
  };
};

/** Groups that a bootstrap token may carry beside its own, separated by commas: the API server takes no others. */
export const bootstrapGroups: ValueKind<string[]> = {
  takes: 'group,…',
  read(given) {
    const groups = separate(given);
    const pattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
    return groups.every((group) => pattern.test(group)) ? groups : undefined;
  },
  complaint: 'is not a list of groups such as system:bootstrappers:drover, separated by commas',
};

/** A taint as `kubectl taint` writes it, without its value; an empty text for none. */
export const taintOrNone: ValueKind<{ key: string; effect: string } | null> = {
  takes: 'key:effect',
  read(given) {
    if (given === '') return null;
    const [, key = '', effect = ''] = /^([^:=]+)(?:=[^:]*)?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(given) ?? [];
    return isLabelKey(key) ? { key, effect } : undefined;
  },
  complaint: 'is not a taint; write it as key:NoSchedule, key:PreferNoSchedule or key:NoExecute',
};

const separate = (given: string): string[] =>
  given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const atLeast = (least: number, value: number | undefined): number | undefined =>
  value !== undefined && value >= least ? value : undefined;

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
