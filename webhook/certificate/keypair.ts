import { createPrivateKey, X509Certificate } from 'node:crypto';

/** A certificate, with those between it and its authority if need be, and its private key; both PEM. */
export interface Pair {
  cert: string;
  key: string;
}

/** What a listener shows to clients, and asks of them. */
export interface Credentials extends Pair {
  /** PEM certificates of the authorities whose clients are trusted; nobody is asked for a certificate when absent. */
  clientAuthorities?: string;
}

/** What is read out of a certificate. Moments are milliseconds since the epoch. */
export interface Facts {
  certificate: X509Certificate;
  from: number;
  to: number;
}

/** Reads the first certificate of a PEM text; undefined when there is none that can be read. */
export function factsOf(pem: string): Facts | undefined {
  try {
    const certificate = new X509Certificate(pem);
    return { certificate, from: Date.parse(certificate.validFrom), to: Date.parse(certificate.validTo) };
  } catch {
    return undefined;
  }
}

/** Whether the key is the certificate's own. */
export function belongs(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** The certificates in a PEM text, each with a line break at its end. */
export const certificatesIn = (pem: string): string[] =>
  pem
    .split(BEGIN)
    .slice(1)
    .map((text) => text.split(END))
    .filter(({ length }) => length > 1)
    .map(([content]) => `${BEGIN}${content}${END}\n`);

/** Why clients refuse a certificate at a moment; undefined when they do not for its dates. */
export function refusedAt({ cert }: Pair, now: number): string | undefined {
  const facts = factsOf(cert);
  if (!facts) return 'cannot be read';
  if (now < facts.from) return `is valid from ${facts.certificate.validFrom} only; is the clock right?`;
  return now < facts.to ? undefined : `expired on ${facts.certificate.validTo}`;
}
