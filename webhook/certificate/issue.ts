import { createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import type { Pair } from './keypair.ts';

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
