import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import type { Secret } from '../../controller/runtime/k8s/core.ts';
import { belongs, certificatesIn, type Facts, factsOf, type Pair } from './keypair.ts';

/** What all replicas share. */
export interface CertificateSet {
  /** Certificates of authorities, the newest first; older ones stay until they expire, for who still serves by them. */
  authorities: readonly string[];
  /** Private key of the newest authority. */
  authorityKey: string;
  leaf: Pair;
}

/** What the certificate must be like, and when. */
export interface DesiredCertificate {
  now: number;
  /** DNS names and IP addresses. */
  names: readonly string[];
  /** Added to two thirds as a share of each certificate's life, so that replicas do not renew at the same moment. */
  lateShare: number;
}

/** The share of its life after which a certificate is renewed. */
const RENEWED_AT = 2 / 3;
/** An authority signs only after every API server had this long to learn of it, milliseconds. */
const SETTLE_MS = 5 * 60 * 1000;

/** The certificates of a Secret; undefined when something is missing or cannot be read. */
export function readCertificates({ data = {} }: Secret): CertificateSet | undefined {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
  const certificates = {
    authorities: certificatesIn(text('ca.crt')),
    authorityKey: text('ca.key'),
    leaf: { cert: text('tls.crt'), key: text('tls.key') },
  };
  return isSound(certificates) ? certificates : undefined;
}

/** The data of a Secret, with the keys of one of type kubernetes.io/tls and the authority beside. */
export function dataOf({ authorities, authorityKey, leaf }: CertificateSet): Record<string, string> {
  const texts = { 'ca.crt': bundleOf(authorities), 'ca.key': authorityKey, 'tls.crt': leaf.cert, 'tls.key': leaf.key };
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}

/** Certificates as one PEM text. */
export const bundleOf = (authorities: readonly string[]): string => authorities.join('');

/**
 * The next set when something is due, else undefined. One that is absent is made from nothing.
 *
 * A name that is missing is added to those that are there: replicas that want different names, as those before and after a
 * change of settings do while one follows the other, would else take turns for ever. Names that nobody wants any more go
 * when the certificate is renewed for its age.
 */
export async function renewed(
  certificates: CertificateSet | undefined,
  desired: DesiredCertificate,
): Promise<CertificateSet | undefined> {
  if (!certificates) return withNewLeaf(await withNewAuthority([], desired), desired);
  const [authority, leaf] = [factsOf(certificates.authorities[0] ?? ''), factsOf(certificates.leaf.cert)];
  if (!authority || !isValid(authority, desired) || isOld(authority, desired)) {
    return { ...certificates, ...(await withNewAuthority(certificates.authorities, desired)) };
  }
  if (!leaf || !isValid(leaf, desired)) return withNewLeaf(certificates, desired);
  if (!covers(leaf, desired.names)) {
    return withNewLeaf(certificates, { ...desired, names: [...new Set([...namesIn(leaf), ...desired.names])] });
  }
  const settled = authority.from + EARLIER_MS + SETTLE_MS <= desired.now;
  return settled && isOld(leaf, desired) ? withNewLeaf(certificates, desired) : undefined;
}

async function withNewAuthority(
  before: readonly string[],
  { now }: DesiredCertificate,
): Promise<Omit<CertificateSet, 'leaf'>> {
  const { cert, key } = await issueAuthority(now);
  const valid = before.filter((pem) => (factsOf(pem)?.to ?? 0) > now);
  return { authorities: [cert, ...valid], authorityKey: key };
}

async function withNewLeaf(
  { authorities, authorityKey }: Omit<CertificateSet, 'leaf'>,
  { names, now }: DesiredCertificate,
): Promise<CertificateSet> {
  const [newest = ''] = authorities;
  return { authorities, authorityKey, leaf: await issueLeaf({ cert: newest, key: authorityKey }, names, now) };
}

/** A certificate of a replica whose clock is far ahead is not valid yet: API servers refuse it. */
const isValid = ({ from, to }: Facts, { now }: DesiredCertificate): boolean => from <= now && now < to;

const isOld = ({ from, to }: Facts, { now, lateShare }: DesiredCertificate): boolean =>
  now >= from + (to - from) * (RENEWED_AT + lateShare);

const covers = ({ certificate }: Facts, names: readonly string[]): boolean =>
  names.every((name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)));

const namesIn = ({ certificate }: Facts): string[] =>
  (certificate.subjectAltName ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));

/** Every key belongs to its certificate, and one of the authorities signed the leaf. */
function isSound({ authorities, authorityKey, leaf }: CertificateSet): boolean {
  const known = authorities.map(factsOf);
  const own = factsOf(leaf.cert);
  const [newest] = known;
  if (!newest || !own || !belongs(newest.certificate, authorityKey) || !belongs(own.certificate, leaf.key))
    return false;
  return known.some((authority) => authority && own.certificate.verify(authority.certificate.publicKey));
}

const DAY_MS = 24 * 3600 * 1000;

/** How long an authority is valid. */
export const AUTHORITY_MS = 365 * DAY_MS;
/** How long a certificate is valid that an authority signed. */
export const LEAF_MS = 30 * DAY_MS;
/** Certificates are valid a little before they are made, for clocks that differ. */
export const EARLIER_MS = 5 * 60 * 1000;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Loaded when something is issued, and not before: few starts issue anything. It reads metadata that must be there first. */
async function loadX509() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** Makes an authority: a self-signed certificate that may sign others. */
export async function issueAuthority(now: number): Promise<Pair> {
  const x509 = await loadX509();
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(now, AUTHORITY_MS),
    name: [{ CN: ['drover-webhook-ca'] }],
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return { cert: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

/** Makes a certificate for a server of these DNS names and IP addresses. It never outlives its authority. */
export async function issueLeaf(authority: Pair, names: readonly string[], now: number): Promise<Pair> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.cert);
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(now, Math.min(LEAF_MS, issuer.notAfter.getTime() - now)),
    subject: [{ CN: ['drover-webhook'] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
    ],
  });
  return { cert: `${certificate.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

const validity = (now: number, lastsMs: number) => ({
  serialNumber: serialNumber(),
  notBefore: new Date(now - EARLIER_MS),
  notAfter: new Date(now + lastsMs),
});

/** 16 bytes out of the system's secure source (RFC 5280 4.1.2.2: positive, at most 20 octets). */
function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `01${bytes.toHex()}`;
}

const makeKeys = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

const exportKey = async (key: CryptoKey): Promise<string> => {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
};

const importKey = (pem: string): Promise<CryptoKey> => {
  const der = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });
  return crypto.subtle.importKey('pkcs8', new Uint8Array(der), ALGORITHM, false, ['sign']);
};
