import {
  type Connection,
  type Credentials,
  noCredentials,
  passwordCredentials,
  type Tls,
  tokenCredentials,
} from '../client/connection.ts';
import { type Judging, judgedSend } from '../client/judgedsend.ts';
import { complaintOf, literalOf, type Trust } from '../dns/embedded.ts';
import { AddressRefused } from '../dns/judgednames.ts';
import { clusterKeys, contextKeys, fieldsOf, pemOf, requirePair, userKeys, withoutSlash } from './fields.ts';
import { type Choice, choiceIn, type Entry } from './file.ts';

/** What stands in the place of a key that is refused, where something does. */
const INSTEAD: Readonly<Record<string, string>> = {
  'certificate-authority': 'a file: give certificate-authority-data',
  tokenFile: 'a file: give token',
  'token-file': 'a file: give token',
  'client-certificate': 'a file: give client-certificate-data',
  'client-key': 'a file: give client-key-data',
  exec: 'a program: give token, or client-certificate-data and client-key-data',
  'auth-provider': 'a plug-in: give token, or client-certificate-data and client-key-data',
  as: 'impersonation: give credentials of that user',
  'as-uid': 'impersonation: give credentials of that user',
  'as-groups': 'impersonation: give credentials of that user',
  'as-user-extra': 'impersonation: give credentials of that user',
};

/** Characters that a header can carry. */
const PRINTABLE = /^[\x21-\x7e]*$/;

/**
 * The connection that the text of somebody's kubeconfig describes, all by itself: of the context, the cluster and the user
 * that it chooses only the keys of fields.ts are read, and any other is refused by its name. This module opens no
 * file and runs no program, nor does any that it imports. Where its server and its proxy may be is judged, here as far as their
 * URLs tell, and at each connection by their addresses. Throws an Error that names the field and says what to do.
 */
export function selfContainedConnection(text: string, judging: Judging): Connection {
  refuseAmplified(text);
  const choice = choiceIn(text);
  refuseOthers(choice.context, contextKeys);
  refuseOthers(choice.cluster, clusterKeys);
  if (choice.user) refuseOthers(choice.user, userKeys);
  const { namespace } = fieldsOf(choice.context, contextKeys);
  const { server, proxy } = waysIn(choice.cluster, judging.trust);
  return {
    server: withoutSlash(server.href),
    send: judgedSend(judging, proxy?.href),
    tls: tlsOf(choice),
    credentials: choice.user ? credentialsOf(choice.user) : noCredentials,
    ...(namespace !== undefined && { namespace }),
  };
}

function refuseOthers({ path, keys }: Entry, allowed: Readonly<Record<string, unknown>>): void {
  const other = Object.keys(keys).find((key) => !Object.hasOwn(allowed, key) && !isEmpty(keys[key]));
  if (other === undefined) return;
  const is = Object.hasOwn(INSTEAD, other) ? `is ${INSTEAD[other]}` : 'is not a key that is known here: take it out';
  throw new Error(`${path}.${other} is refused in a kubeconfig of a Secret: it ${is}`);
}

/** Tools write keys that say nothing: `tokenFile: ""`, `as-groups: []`, `as-user-extra: {}`. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** URLs of the server and of the proxy before it. */
function waysIn(cluster: Entry, trust: Trust): { server: URL; proxy?: URL } {
  const fields = fieldsOf(cluster, clusterKeys);
  const server = urlIn(cluster, 'server', trust);
  if (!server) throw new Error(`${cluster.path}.server is missing`);
  const isTrusted = trust.hasName(server.hostname) || trust.hasAddress(literalOf(server.hostname) ?? '');
  const unless = `unless --cluster-server-allow names ${server.hostname}`;
  if (server.protocol !== 'https:' && !isTrusted)
    throw new Error(`${cluster.path}.server is not an https URL: without it nothing is sent ${unless}`);
  if (fields['insecure-skip-tls-verify'] && !isTrusted)
    throw new Error(
      `${cluster.path}.insecure-skip-tls-verify is refused ${unless}: give certificate-authority-data, and tls-server-name if the certificate has another name`,
    );
  const proxy = urlIn(cluster, 'proxy-url', trust);
  if (proxy && proxy.protocol !== 'http:')
    throw new Error(
      `${cluster.path}.proxy-url is not an http URL: what goes through the proxy is encrypted all the same`,
    );
  return { server, ...(proxy && { proxy }) };
}

/** A URL of http or https with nothing but host, port and path. */
function urlIn(cluster: Entry, key: 'server' | 'proxy-url', trust: Trust): URL | undefined {
  const text = fieldsOf(cluster, clusterKeys)[key];
  if (text === undefined) return undefined;
  const field = `${cluster.path}.${key}`;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`${field} is not an http or https URL`);
  if (/[?#]/.test(url.href) || url.username || url.password)
    throw new Error(
      `${field} has a query, a fragment or a user: give scheme, host, port and path, and credentials in users`,
    );
  const address = literalOf(url.hostname);
  const complaint = address && complaintOf(address, trust);
  if (complaint) throw new Error(`${field} is refused: ${new AddressRefused(address, address, complaint).message}`);
  return url;
}

function credentialsOf(user: Entry): Credentials {
  const { token: written, username, password = '' } = fieldsOf(user, userKeys);
  const token = written?.trim();
  if (token !== undefined && !PRINTABLE.test(token))
    throw new Error(`${user.path}.token holds characters that no token has`);
  if (token) return tokenCredentials(token);
  return username ? passwordCredentials(username, password) : noCredentials;
}

function tlsOf({ cluster, user }: Choice): Tls {
  const fields = fieldsOf(cluster, clusterKeys);
  const ca = pemOf(cluster, 'certificate-authority-data', fields['certificate-authority-data']);
  return {
    ...(ca && { ca }),
    ...(user && pairOf(user)),
    ...(fields['tls-server-name'] && { serverName: fields['tls-server-name'] }),
    ...(fields['insecure-skip-tls-verify'] && { rejectUnauthorized: false }),
  };
}

function pairOf(user: Entry): Pick<Tls, 'cert' | 'key'> {
  const { 'client-certificate-data': certData, 'client-key-data': keyData } = fieldsOf(user, userKeys);
  const cert = pemOf(user, 'client-certificate-data', certData);
  const key = pemOf(user, 'client-key-data', keyData);
  requirePair(user, { cert, key });
  return cert && key ? { cert, key } : {};
}

/** How long the kubeconfig of a Secret may be, characters. */
const LONGEST = 65_536;

/** What YAML refers to (an anchor), and what refers to it (an alias): neither can be written otherwise. */
const ANCHOR = /(?:^|\W)&[^\s,[\]{}]/;
const ALIAS = /(?:^|\W)\*[^\s,[\]{}]/;

/**
 * What no parser takes for more than text, so that & and * in it are no anchors. A comment with quotes in it may end a text that began lines
 * before, so it stays; so do all quoted texts when one stands elsewhere than alone behind its key.
 */
const QUOTED =
  /^[ -]*[A-Za-z0-9_][A-Za-z0-9_.-]*: +(?:"[^"'\\\r\u0085\u2028\u2029]*"|'[^"'\\\r\u0085\u2028\u2029]*')[ \t]*$/;
const QUOTE = /["']/;
const ENDS_COMMENT = ['"', "'", '\r', '\u0085', '\u2028', '\u2029'];

/** In double quotes `<` may be written by its number, and what stands in a line may go on in the next one. */
const NUMBERED = /\\(?:x3c|u003c|U0000003c)/gi;
const GOES_ON = /\\\s*[\r\n]\s*/g;

/** The key `<<` by itself, quoted or not. */
const MERGE = /(?:^|[\s"'{}[\],:?!&*|>-])<<(?:$|[\s"'{}[\],:#])/;
const ENDS_AS_MERGE = /<<(?:$|["'{}[\],:#])/;

/**
 * Refuses a text of YAML that is long, or that takes the parser much more than its length: where one part stands for another a
 * short one becomes large, and maps that are merged into maps, with `<<` and without any anchor, are copied once for each level. No
 * tool writes such a kubeconfig. Looks at the text alone, before it is parsed, in time that is linear in its length. Throws
 * an Error that says what to do (hack/decisions/0033).
 */
export function refuseAmplified(text: string): void {
  if (text.length > LONGEST)
    throw new Error(`it has more than ${LONGEST} characters: keep one context, and what it names`);
  if (repeats(text))
    throw new Error(
      'it has anchors and aliases (&a, *a), or what looks like them, which is not read: write out each part; in a quoted text write & as "\\x26"',
    );
  if (merges(text))
    throw new Error('it has a merge key (<<), or what looks like one, which is not read: write out each part');
}

function repeats(text: string): boolean {
  if (!hasBoth(text) || isJson(text)) return false;
  const lines = text.split(/\r?\n/).map(withoutComment);
  const isPlain = lines.every((line) => !QUOTE.test(line) || QUOTED.test(line));
  return hasBoth((isPlain ? lines.filter((line) => !QUOTE.test(line)) : lines).join('\n'));
}

function withoutComment(line: string): string {
  const from = 1 + Math.max(...ENDS_COMMENT.map((end) => line.lastIndexOf(end)));
  for (let at = line.indexOf('#', from); at >= 0; at = line.indexOf('#', at + 1))
    if (at === 0 || /[ \t]/.test(line.charAt(at - 1))) return line.slice(0, at);
  return line;
}

const hasBoth = (text: string): boolean => ANCHOR.test(text) && ALIAS.test(text);

/** There all texts are quoted. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function merges(text: string): boolean {
  const plain = text.replace(GOES_ON, '').replace(NUMBERED, '<');
  return MERGE.test(plain) || plain.split(/\s/).some(mergesBehindTag);
}

/** The parser ends a tag, as `!a`, where `<` begins. */
function mergesBehindTag(word: string): boolean {
  const tag = word.indexOf('!');
  return tag >= 0 && ENDS_AS_MERGE.test(word.slice(tag));
}
