import 'reflect-metadata';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { HOST } from './ports.ts';

/** Paths of a pair's files, as flags want them. */
interface PairFiles {
  cert: string;
  key: string;
}

export interface Pki {
  /** Whose certificates the API server takes for users; issue one to mint a user. */
  cluster: Authority;
  /** etcd's own, so that no user of the API server can talk to etcd. */
  etcd: Authority;
  /** A user of the group system:masters, whom RBAC does not bind. */
  admin: Pair;
  etcdClient: Pair;
  files: {
    clusterCa: string;
    etcdCa: string;
    apiserver: PairFiles;
    etcd: PairFiles;
    etcdClient: PairFiles;
    serviceAccount: PairFiles;
  };
}

/** Everything that a control plane on this machine proves itself with; made the first time, kept in the folder. */
export async function openPki(folder: string): Promise<Pki> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [cluster, etcd] = await Promise.all([openAuthority(folder, 'cluster-ca'), openAuthority(folder, 'etcd-ca')]);
  const hosts = [HOST, 'localhost'];
  const [admin, etcdClient] = await Promise.all([
    keptPair(folder, 'admin', () => cluster.issue({ commonName: 'admin', groups: ['system:masters'] })),
    keptPair(folder, 'etcd-client', () => etcd.issue({ commonName: 'kube-apiserver' })),
    keptPair(folder, 'apiserver', () => cluster.issue({ commonName: 'kube-apiserver', hosts })),
    keptPair(folder, 'etcd', () => etcd.issue({ commonName: 'etcd', hosts })),
    keptPair(folder, 'service-account', makeSigningPair),
  ]);
  const files = (name: string): PairFiles => ({ cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) });
  return {
    cluster,
    etcd,
    admin,
    etcdClient,
    files: {
      clusterCa: files('cluster-ca').cert,
      etcdCa: files('etcd-ca').cert,
      apiserver: files('apiserver'),
      etcd: files('etcd'),
      etcdClient: files('etcd-client'),
      serviceAccount: files('service-account'),
    },
  };
}

/** A certificate (or a bare public key) and its private key, PEM. */
interface Pair {
  cert: string;
  key: string;
}

/** The pair that the folder holds under `name`; made and written the first time. */
async function keptPair(folder: string, name: string, make: () => Promise<Pair>): Promise<Pair> {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  if (existsSync(cert)) return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const pair = await make();
  writeFileSync(key, pair.key, { mode: 0o600 }); // Before the certificate, whose file says that both are there.
  writeFileSync(cert, pair.cert);
  return pair;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** A control plane on one's own machine is not worth a renewal: its certificates are valid for ten years. */
const VALID_MS = 10 * 365 * 24 * 3600 * 1000;
/** Valid a little before now, for clocks that differ. */
const EARLIER_MS = 5 * 60 * 1000;

/** Whom a certificate names, and what it may be used for. */
interface Subject {
  /** For the API server: the user's name. */
  commonName: string;
  /** For the API server: the user's groups. */
  groups?: readonly string[];
  /** IP addresses and DNS names of a server; a certificate with hosts is one for servers, without a client's. */
  hosts?: readonly string[];
}

/** A certificate authority; `issue` gives a certificate signed by it and a new key. */
export interface Authority {
  /** Its own certificate, PEM. */
  ca: string;
  issue(subject: Subject): Promise<Pair>;
}

/** Opens the authority kept in the folder under `name`; makes it the first time. */
export async function openAuthority(folder: string, name: string): Promise<Authority> {
  const pair = await keptPair(folder, name, () => makeAuthority(`drover ${name}`));
  const issuer = { certificate: new X509Certificate(pair.cert), key: await importKey(pair.key) };
  return { ca: pair.cert, issue: (subject) => issue(issuer, subject) };
}

async function makeAuthority(commonName: string): Promise<Pair> {
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return { cert: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

async function issue(issuer: { certificate: X509Certificate; key: CryptoKey }, subject: Subject): Promise<Pair> {
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.create({
    ...validity(),
    subject: nameOf(subject),
    issuer: issuer.certificate.subject,
    publicKey: keys.publicKey,
    signingKey: issuer.key,
    signingAlgorithm: ALGORITHM,
    extensions: extensionsOf(subject),
  });
  return { cert: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

const nameOf = ({ commonName, groups = [] }: Subject): JsonName => [
  ...groups.map((group) => ({ O: [group] })),
  { CN: [commonName] },
];

/** A server may also act as a client: etcd's own gateway calls etcd with the server's certificate. */
function extensionsOf({ hosts = [] }: Subject) {
  const uses = [ExtendedKeyUsage.clientAuth, ...(hosts.length > 0 ? [ExtendedKeyUsage.serverAuth] : [])];
  const names = hosts.map((value) => ({ type: /^[\d.]+$/.test(value) ? ('ip' as const) : ('dns' as const), value }));
  return [
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension(uses),
    ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
  ];
}

const validity = () => {
  const now = Date.now();
  return { notBefore: new Date(now - EARLIER_MS), notAfter: new Date(now + VALID_MS) };
};

/** A key pair that signs service-account tokens; `cert` is the bare public key. */
async function makeSigningPair(): Promise<Pair> {
  const key = await exportKey((await makeKeys()).privateKey);
  return { cert: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(), key };
}

const makeKeys = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

async function exportKey(key: CryptoKey): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

const importKey = (pem: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('pkcs8', createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' }), ALGORITHM, false, [
    'sign',
  ]);
