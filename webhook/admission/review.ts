import * as v from 'valibot';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { isObject } from '../../schemas/same.ts';

/** The only version of AdmissionReview that is spoken here. */
export const REVIEW_VERSION = 'admission.k8s.io/v1';

/** Kept whole and as it came: valibot would leave out what it does not know, and keys such as `constructor`. */
const kubeObject = v.custom<KubeObject>(
  (value) => isObject(value) && isMetadata(value['metadata']),
  'must be an object with metadata',
);
const extra = v.custom<Record<string, string[]>>(
  (value) => isObject(value) && Object.values(value).every((texts) => Array.isArray(texts)),
  'must be an object of lists',
);

/** Whether the parts of ObjectMeta that are looked at are of their types, which the API server sees to. */
const isMetadata = (value: unknown): boolean =>
  isObject(value) &&
  ['labels', 'annotations'].every((name) => isTexts(value[name] ?? {})) &&
  isObjects(value['ownerReferences'] ?? []);

const isTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');

const isObjects = (value: unknown): boolean => Array.isArray(value) && value.every(isObject);

/** Whether something is made or changed. */
export const isWrite = (operation: string): boolean => operation === 'CREATE' || operation === 'UPDATE';

const request = v.pipe(
  v.object({
    kind: v.object({ group: v.string(), version: v.string(), kind: v.string() }),
    resource: v.nullish(v.object({ group: v.string(), resource: v.string() }), { group: '', resource: '' }),
    subResource: v.nullish(v.string(), ''),
    name: v.nullish(v.string(), ''),
    namespace: v.nullish(v.string(), ''),
    operation: v.picklist(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
    userInfo: v.object({
      username: v.nullish(v.string(), ''),
      uid: v.nullish(v.string(), ''),
      groups: v.nullish(v.array(v.string()), []),
      extra: v.nullish(extra, {}),
    }),
    object: v.nullish(kubeObject),
    oldObject: v.nullish(kubeObject),
    dryRun: v.nullish(v.boolean(), false),
    options: v.nullish(v.object({ fieldManager: v.nullish(v.string(), '') })),
  }),
  v.check(({ operation, object }) => !isWrite(operation) || Boolean(object), 'a CREATE or UPDATE comes with an object'),
  v.check(
    ({ operation, oldObject }) => operation !== 'UPDATE' || Boolean(oldObject),
    'an UPDATE comes with an oldObject',
  ),
);

/** What is asked about whom (admission.k8s.io/v1 AdmissionRequest): the parts that are used. */
export type AdmissionRequest = v.InferOutput<typeof request> & {
  /** IP address of whoever asks; absent where that is not known. */
  from?: string | undefined;
};

/** Who asks (authentication.k8s.io/v1 UserInfo). */
export type User = AdmissionRequest['userInfo'];

const envelope = v.object({
  apiVersion: v.literal(REVIEW_VERSION),
  kind: v.literal('AdmissionReview'),
  request: v.object({ uid: v.pipe(v.string(), v.nonEmpty('must not be empty')) }),
});

/** A body that is no AdmissionReview: it has no uid that an answer could carry. */
export class Unreadable extends Error {
  override name = 'Unreadable';
}

/** A review by its uid, with the request or with what is wrong with it. */
export type Review = { uid: string; request: AdmissionRequest } | { uid: string; unfit: string };

/**
 * Reads the body of a call by the API server.
 *
 * @throws {Unreadable} when there is no uid to answer to, or the answer's version would be another.
 */
export function readReview(body: string): Review {
  const json = parseJson(body);
  const outer = v.safeParse(envelope, json);
  if (!outer.success)
    throw new Unreadable(`This is no AdmissionReview of ${REVIEW_VERSION}: ${sentence(outer.issues)}.`);
  const { uid } = outer.output.request;
  const inner = v.safeParse(request, (json as { request: unknown }).request);
  return inner.success ? { uid, request: inner.output } : { uid, unfit: sentence(inner.issues) };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new Unreadable('The body is not JSON.', { cause });
  }
}

const sentence = (issues: readonly v.BaseIssue<unknown>[]): string =>
  issues.map((issue) => `${v.getDotPath(issue) ?? 'request'}: ${issue.message}`).join('; ');

/**
 * What is written and not completed: an object that is being deleted (its finalizers must come off whatever it looks like),
 * and subresources.
 */
export const isExempt = ({ operation, subResource, oldObject }: AdmissionRequest): boolean =>
  !isWrite(operation) || subResource !== '' || Boolean(oldObject?.metadata.deletionTimestamp);

/**
 * Whether the author sent a part of the object, by an apply or a PATCH, rather than all of it by a PUT. The API server does
 * not say (hack/decisions/0006): what tells is the field manager. Tools that apply or patch name one; typed clients that
 * PUT name none, and kubectl replace has one of its own.
 */
export const isPartial = ({ options }: AdmissionRequest): boolean =>
  !['', 'kubectl-replace'].includes(options?.fieldManager ?? '');
