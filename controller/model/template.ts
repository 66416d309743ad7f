import { hotPart, marksHot } from '../../schemas/hotpart.ts';
import type { JsonSchema } from '../../schemas/jsonschema.ts';
import { LABEL_CLUSTER, LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { clusterOf, disagree } from '../../schemas/rules/cluster.ts';
import { machineSpecFault } from '../../schemas/rules/machine.ts';
import { isSame, isSameBarNulls } from '../../schemas/same.ts';
import { finalizerFindings } from '../../schemas/selector.ts';
import { coldSpec, LIVE_FIELDS, SETTINGS } from '../../schemas/templateidentity.ts';
import type { Driver } from '../drivers/sdk/driver.ts';

type Spec = NonNullable<Machine['spec']>;

/** A template's fields of which living and leaving machines learn, without what is left out. */
export const settingsOf = (spec: Spec | undefined): Partial<Spec> =>
  Object.fromEntries(Object.entries(SETTINGS).map(([field, absent]) => [field, spec?.[field as keyof Spec] ?? absent]));

/** The settings that differ from what they are where they are left out, as canonical JSON; undefined when none does. */
export function settingsRecord(spec: Spec | undefined): string | undefined {
  const said = Object.entries(settingsOf(spec)).filter(([field, value]) => !isSame(value, absentOf(field)));
  return said.length > 0 ? canonical(Object.fromEntries(said)) : undefined;
}

/** Of the template's settings those that differ from the record of what the machine was given before. */
export function newSettings(spec: Spec | undefined, record: string | undefined): Partial<Spec> {
  const given = settingsOf(readRecord(record));
  return Object.fromEntries(
    Object.entries(settingsOf(spec)).filter(([field, value]) => !isSame(value, given[field as keyof Spec])),
  );
}

const absentOf = (field: string) => SETTINGS[field as keyof typeof SETTINGS];

/** A record that cannot be read says that nothing was given. */
function readRecord(record: string | undefined): Spec {
  const read = recordIn(record);
  return typeof read === 'object' && read !== null ? (read as Spec) : {};
}

/** The part of MCM's machine spec that changes in place. Of an inline providerSpec see {@link followsHot}. */
export const liveFields = (spec: Spec | undefined): Partial<Spec> =>
  Object.fromEntries(LIVE_FIELDS.map((field) => [field, spec?.[field]]));

/** Whether a machine can follow a template's inline providerSpec: the two differ in hot fields at most. */
export function followsHot(machine: Spec | undefined, template: Spec | undefined): boolean {
  if (machine?.providerSpec === undefined || machine.provider !== template?.provider) return false;
  return isSameBarNulls(coldSpec(machine), coldSpec(template));
}

/** Why no machine can be made from a template, although nobody refused it; undefined when one can (hack/decisions/0000 2 and 3). */
export function templateFault({ metadata, spec }: MachineSet | MachineDeployment): string | undefined {
  const template = spec?.template;
  const labels = template?.metadata?.labels;
  if (disagree(metadata.labels, labels))
    return `spec.template.metadata.labels[${LABEL_CLUSTER}] is "${clusterOf(labels)}", that of metadata.labels "${clusterOf(metadata.labels)}": machines belong to the cluster of what makes them`;
  const [finding] = finalizerFindings('spec.template.metadata.finalizers', template?.metadata?.finalizers ?? []);
  if (finding) return `${finding.at} ${finding.message}`;
  return machineSpecFault(template?.spec, 'spec.template.spec');
}

/** The condition that shows a fault of a spec; there is none while there is no fault. */
export const specCondition = (message: string | undefined) =>
  message === undefined ? undefined : ({ type: 'SpecValid', status: 'False', reason: 'SpecInvalid', message } as const);

/** Letters and digits that form no words and are not taken for one another (apimachinery `rand.SafeEncodeString`). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** 32-bit FNV-1a of a text's UTF-8 bytes; `start` is the hash of the text before it, if any. */
export function fnv32a(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** A number as `length` letters of the safe alphabet, its lowest digits first. */
export function safeName(value: number, length: number): string {
  let rest = value;
  return Array.from({ length }, () => {
    const letter = ALPHABET[rest % ALPHABET.length];
    rest = Math.floor(rest / ALPHABET.length);
    return letter;
  }).join('');
}

/** Each character of a text replaced by a letter of the safe alphabet, by its byte modulo 27 (hack/spec/mcm.md 4.4). */
export const safeEncode = (text: string): string =>
  [...Buffer.from(text)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

/**
 * Objects and lists inside one another that are gone through by what calls itself: far fewer than the stack takes, and far more than any document
 * of a driver has (schemas/providers/bounds.ts).
 */
const MOST_LEVELS = 1_000;

/** An object of the API has no more (encoding/json of Go). */
export const OBJECT_LEVELS = 10_000;

/**
 * The value of a record, as an annotation keeps it in JSON; undefined for a text that is none, or has more levels. Who may write annotations,
 * as the kubelet of a Node may its own, writes what nobody can go through (hack/decisions/0028 T85).
 */
export function recordIn(text: string | undefined, levels = MOST_LEVELS): unknown {
  try {
    const record: unknown = JSON.parse(text ?? '');
    return isDeeper(record, levels) ? undefined : record;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  let level = [value].filter(isObject);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levels) return true;
    level = level.flatMap((one) => Object.values(one).filter(isObject));
  }
  return false;
}

/**
 * A value as text that does not depend on the order of keys; what is undefined or null is left out. It does not call itself, for an object may
 * be 10,000 levels deep (hack/decisions/0028 T85).
 */
export function canonical(value: unknown): string {
  const [left, texts]: [Piece[], string[]] = [[{ value }], []];
  for (let piece = left.pop(); piece; piece = left.pop()) {
    if ('text' in piece) texts.push(piece.text);
    else if (isObject(piece.value)) for (const part of piecesOf(piece.value).toReversed()) left.push(part);
    else texts.push(JSON.stringify(piece.value) ?? 'null');
  }
  return texts.join('');
}

type Piece = { text: string } | { value: unknown };

function piecesOf(value: object): Piece[] {
  const comma = (at: number) => (at > 0 ? ',' : '');
  if (Array.isArray(value))
    return [{ text: '[' }, ...value.flatMap((item, at) => [{ text: comma(at) }, { value: item }]), { text: ']' }];
  const parts = keysOf(value).flatMap((key, at) => [
    { text: `${comma(at)}${JSON.stringify(key)}:` },
    { value: (value as Record<string, unknown>)[key] },
  ]);
  return [{ text: '{' }, ...parts, { text: '}' }];
}

/**
 * What tells a value of JSON from all others, where `isSameBarNulls` does (schemas/same.ts). Nor does it call itself.
 */
export function digestOf(value: unknown): string {
  const [left, texts]: [unknown[], string[]] = [[value], []];
  while (left.length > 0) {
    const one = left.pop();
    const keys = Array.isArray(one) || !isObject(one) ? [] : keysOf(one);
    if (Array.isArray(one)) texts.push(`[${one.length}`);
    else texts.push(JSON.stringify(isObject(one) ? keys : one) ?? 'null');
    if (Array.isArray(one)) for (const item of one) left.push(item);
    else for (const key of keys) left.push((one as Record<string, unknown>)[key]);
  }
  return new Bun.CryptoHasher('sha256').update(texts.join('\n')).digest('base64');
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function keysOf(object: object): string[] {
  const parts = object as Record<string, unknown>;
  return Object.keys(parts)
    .filter((key) => parts[key] !== undefined && parts[key] !== null)
    .sort();
}

type Labels = Readonly<Record<string, string>>;

/**
 * The labels of a template that a machine gets which is there already. Which Node is whose is no matter of a template:
 * whoever writes it would have the controller do what takes `override` (hack/decisions/0037).
 */
export function withoutNode(labels: Labels | undefined): Labels {
  const { [LABEL_NODE]: _claimed, ...rest } = labels ?? {};
  return rest;
}

/** Tells the hot fields of classes: those that reach VMs that exist. */
export class HotFields {
  /** Of the drivers that update VMs. */
  readonly #schemas: ReadonlyMap<string, JsonSchema>;
  /** By providerSpec: classes are read far more often than they change. */
  readonly #known = new WeakMap<object, string>();

  constructor(drivers: ReadonlyMap<string, Driver>) {
    const hot = [...drivers].filter(([, driver]) => driver.updateMachine && marksHot(driver.providerSpec));
    this.#schemas = new Map(hot.map(([name, driver]) => [name, driver.providerSpec]));
  }

  /** As canonical JSON; undefined when the class's driver updates nothing. */
  of({ provider, providerSpec }: Pick<MachineClass, 'provider' | 'providerSpec'>): string | undefined {
    const schema = this.#schemas.get(provider ?? '');
    if (!schema) return undefined;
    const spec = typeof providerSpec === 'object' && providerSpec !== null ? providerSpec : {};
    const known = this.#known.get(spec);
    if (known !== undefined) return known;
    const part = canonical(hotPart(spec, schema));
    this.#known.set(spec, part);
    return part;
  }
}
