import { beforeAll, describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import type { Secret } from '../../controller/runtime/k8s/core.ts';
import { type CertificateSet, dataOf, issueAuthority, issueLeaf, readCertificates, renewed } from './authority.ts';
import { factsOf } from './keypair.ts';

const DAY = 24 * 3600 * 1000;
const START = new FakeClock().now();
const names = ['drover-webhook.drover-system.svc', '127.0.0.1'];

const at = (days: number, lateShare = 0) => ({ now: START + days * DAY, names, lateShare });
const secretOf = (data: Record<string, string>): Secret => ({ metadata: { name: 'any' }, data });

let first: CertificateSet;
beforeAll(async () => {
  first = made(await renewed(undefined, at(0)));
});

function made(certificates: CertificateSet | undefined): CertificateSet {
  if (!certificates) throw new Error('nothing was renewed');
  return certificates;
}

test('from nothing come an authority of a year and a certificate of 30 days, for all names', () => {
  const [authority] = first.authorities.map(factsOf);
  const leaf = factsOf(first.leaf.cert);
  expect(authority?.to).toBe(START + 365 * DAY);
  expect(leaf?.to).toBe(START + 30 * DAY);
  expect(leaf?.certificate.checkIssued(authority?.certificate as X509Certificate)).toBe(true);
  expect(leaf?.certificate.subjectAltName).toBe('DNS:drover-webhook.drover-system.svc, IP Address:127.0.0.1');
});

test('a Secret gives back what was put into it', () => {
  expect(readCertificates(secretOf(dataOf(first)))).toEqual(first);
});

describe('a Secret that is damaged is as good as none', () => {
  test.each<[string, (data: Record<string, string>, other: Record<string, string>) => Record<string, string>]>([
    ['empty', () => ({})],
    ['no authority', ({ 'ca.crt': _, ...data }) => data],
    ["another authority's key", (data, other) => ({ ...data, 'ca.key': other['ca.key'] ?? '' })],
    ["another certificate's key", (data, other) => ({ ...data, 'tls.key': other['tls.key'] ?? '' })],
    [
      'a certificate of another authority',
      (data, other) => ({ ...other, 'ca.crt': data['ca.crt'] ?? '', 'ca.key': data['ca.key'] ?? '' }),
    ],
    ['a text that is no certificate', (data) => ({ ...data, 'tls.crt': btoa('hello') })],
  ])('%s', async (_what, damage) => {
    const other = dataOf(made(await renewed(undefined, at(0))));
    expect(readCertificates(secretOf(damage(dataOf(first), other)))).toBeUndefined();
  });
});

describe('when something is due', () => {
  const withoutDue = async (days: number, lateShare = 0) =>
    expect(await renewed(first, at(days, lateShare))).toBeUndefined();

  test('nothing is, before two thirds of the certificate have passed', async () => {
    await withoutDue(0);
    await withoutDue(19.9);
  });

  test('the certificate is, after two thirds, by the same authority', async () => {
    const next = made(await renewed(first, at(20.1)));
    expect(next.authorities).toEqual(first.authorities);
    expect(factsOf(next.leaf.cert)?.to).toBe(START + 50.1 * DAY);
  });

  test('a replica that is late by chance leaves it to the others for a while', async () => {
    await withoutDue(20.1, 0.05);
    expect(await renewed(first, at(21.6, 0.05))).toBeDefined();
  });

  test('the certificate is, when a name is new', async () => {
    const next = made(await renewed(first, { ...at(1), names: [...names, 'localhost'] }));
    expect(new X509Certificate(next.leaf.cert).subjectAltName).toContain('DNS:localhost');
  });

  test('names that another replica wants stay, until the certificate is renewed for its age', async () => {
    const other = { ...at(1), names: ['localhost', '::1'] };
    const united = made(await renewed(first, other));
    expect(await renewed(united, at(1))).toBeUndefined();
    expect(await renewed(united, other)).toBeUndefined();
    const aged = made(await renewed(united, at(22)));
    expect(factsOf(aged.leaf.cert)?.certificate.subjectAltName).toBe(
      'DNS:drover-webhook.drover-system.svc, IP Address:127.0.0.1',
    );
  });
});

describe('clocks that differ', () => {
  const minute = 1 / (24 * 60);

  test('by five minutes are no matter', async () => {
    expect(await renewed(first, at(-5 * minute))).toBeUndefined();
  });

  test('by more: what another replica made is not valid yet, so all is made anew', async () => {
    const authority = made(await renewed(first, at(-6 * minute)));
    expect(authority.authorities.length).toBe(2);
    const next = made(await renewed(authority, at(-6 * minute)));
    expect(factsOf(next.leaf.cert)?.from).toBe(START - 11 * 60_000);
    expect(await renewed(next, at(-6 * minute))).toBeUndefined();
    expect(await renewed(next, at(0))).toBeUndefined();
  });
});

describe('a change of the authority', () => {
  const due = 245;

  /** Holding a fresh certificate of the first authority, on the day on which the authority is due. */
  async function onTheDay(): Promise<CertificateSet> {
    const key = first.authorityKey;
    const leaf = await issueLeaf({ cert: first.authorities[0] ?? '', key }, names, START + (due - 1) * DAY);
    return { ...first, leaf };
  }

  test('puts the new one before the old one, and leaves the certificate', async () => {
    const before = await onTheDay();
    const next = made(await renewed(before, at(due)));
    expect(next.authorities.length).toBe(2);
    expect(next.authorities[1]).toBe(first.authorities[0] ?? '');
    expect(next.leaf).toEqual(before.leaf);
    expect(await renewed(next, at(due))).toBeUndefined();
  });

  test('lets the new one sign only after API servers had time to learn of it', async () => {
    const old = {
      ...first,
      leaf: await issueLeaf({ cert: first.authorities[0] ?? '', key: first.authorityKey }, names, START + 220 * DAY),
    };
    const changed = made(await renewed(old, at(due)));
    expect(changed.leaf).toEqual(old.leaf);
    expect(await renewed(changed, at(due + 4 / (24 * 60)))).toBeUndefined();
    const signed = made(await renewed(changed, at(due + 6 / (24 * 60))));
    expect(
      factsOf(signed.leaf.cert)?.certificate.verify(new X509Certificate(changed.authorities[0] ?? '').publicKey),
    ).toBe(true);
  });

  test('forgets the old one once that has expired', async () => {
    const changed = made(await renewed(await onTheDay(), at(due)));
    const again = made(await renewed(changed, at(due + 245)));
    expect(again.authorities.length).toBe(2);
    expect(again.authorities[1]).toBe(changed.authorities[0] ?? '');
  });
});

test('a certificate never outlives its authority', async () => {
  const authority = await issueAuthority(START);
  expect(factsOf((await issueLeaf(authority, names, START + 350 * DAY)).cert)?.to).toBe(START + 365 * DAY);
});
