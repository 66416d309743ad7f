import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { ANNOTATION_CLASS, ANNOTATION_CONFIRMED, ANNOTATION_GIVEN, LABEL_PAUSED } from '../../schemas/keys.ts';
import { machineKind } from '../../schemas/machine.ts';
import type { Permission } from '../admission/accessreview.ts';
import { type PatchOperation, put } from '../admission/fieldpath.ts';
import type { Mutate, Mutation } from '../admission/mutate.ts';
import type { AdmissionRequest } from '../admission/review.ts';

/** What the controller notes on Machines, under protected keys. */
const RECORDS = {
  annotations: [ANNOTATION_CLASS, ANNOTATION_CONFIRMED, ANNOTATION_GIVEN],
  labels: [LABEL_PAUSED],
} as const;

const MAPS = ['annotations', 'labels'] as const;

/**
 * Leaves the controller's notes out of a Machine that somebody makes who may not override: `kubectl get -o yaml` saves them with all
 * else, they are about the Machine before, and would only have the new one refused. Who may override brings them back, as Velero does
 * (hack/decisions/0040). Where it cannot be found out who may, they stay, and the rules say so.
 */
export const withoutSavedRecords =
  (mutate: Mutate, permission: Permission) =>
  async (request: AdmissionRequest): Promise<Mutation> => {
    const { patch, warnings } = mutate(request);
    const { object } = request;
    const saved = object && isMade(request) ? savedIn(object) : [];
    if (!object || saved.length === 0 || (await mayKeep(request, permission))) return { patch, warnings };
    return {
      patch: [...patch, ...MAPS.flatMap((map) => leaveOut(object, map))],
      warnings: [...warnings, sentenceOf(saved)],
    };
  };

const isMade = ({ operation, subResource, kind }: AdmissionRequest): boolean =>
  operation === 'CREATE' && subResource === '' && kind.group === machineKind.group && kind.kind === machineKind.kind;

const savedIn = ({ metadata }: KubeObject): string[] =>
  MAPS.flatMap((map) =>
    RECORDS[map].filter((key) => metadata[map]?.[key] !== undefined).map((key) => `metadata.${map}[${key}]`),
  );

const mayKeep = ({ userInfo, namespace, from }: AdmissionRequest, permission: Permission): Promise<boolean> =>
  permission(userInfo, namespace, from).catch(() => true);

function leaveOut(object: KubeObject, map: (typeof MAPS)[number]): PatchOperation[] {
  const texts = object.metadata[map] ?? {};
  const kept = Object.fromEntries(Object.entries(texts).filter(([key]) => !isRecord(map, key)));
  return Object.keys(kept).length === Object.keys(texts).length ? [] : put(object, ['metadata', map], kept);
}

const isRecord = (map: (typeof MAPS)[number], key: string): boolean => RECORDS[map].some((one) => one === key);

const sentenceOf = (fields: readonly string[]): string =>
  `left out ${fields.join(', ')}: notes of the controller about the Machine that this was saved from`;
