import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { kinds } from '../../schemas/kinds.ts';
import { type Facts, NotYetKnown } from './context.ts';
import type { AdmissionRequest } from './review.ts';

/** autoscaling/v1 Scale: the parts that are used. */
interface Scale extends KubeObject {
  spec?: { replicas?: number | undefined } | undefined;
}

/** What rules judge: an object of one of our kinds, before and after a request. */
export interface Written {
  kind: { group: string; kind: string };
  now: KubeObject;
  before: KubeObject | undefined;
}

/**
 * What a request to the subresource `scale` does to the object behind it. A Scale has neither its labels nor its
 * annotations: these are as they are known here, and none while the object is not known. Only spec.replicas differs, so
 * only the rules that look at it judge a scale. Undefined for what has none of our kinds behind it.
 */
export function scaleWritten(
  { resource, object, oldObject, name }: AdmissionRequest,
  facts: Facts,
): Written | undefined {
  const kind = kinds.find(
    ({ group, plural, scale }) => scale && group === resource.group && plural === resource.resource,
  );
  if (!kind || !object) return undefined;
  const stored = storedBehind(object, () => facts.templated(kind.kind, name));
  const scaled = (scale: Scale) => ({ ...stored, spec: { ...stored.spec, replicas: scale.spec?.replicas ?? 0 } });
  return {
    kind: { group: resource.group, kind: kind.kind },
    now: scaled(object),
    before: oldObject ? scaled(oldObject) : undefined,
  };
}

function storedBehind({ metadata }: Scale, find: () => KubeObject | undefined): KubeObject & { spec?: object } {
  try {
    return find() ?? { metadata };
  } catch (error) {
    if (error instanceof NotYetKnown) return { metadata };
    throw error;
  }
}
