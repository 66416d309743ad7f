import { LABEL_TEMPLATE_HASH } from '../../schemas/keys.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import { mergePatch } from '../../schemas/same.ts';
import { eventOf, type Note } from '../flow/flow.ts';
import { type Expectations, mergeStatus, type Writable } from '../framework/writer.ts';
import { isAlreadyExists } from '../runtime/client/api.ts';
import type { Events } from '../runtime/events/events.ts';
import { controllerOf, timestamp } from '../runtime/k8s/object.ts';
import { events as own } from './flow/reasons.ts';
import { newSetOf } from './flow/revision.ts';
import { statusOf } from './flow/status.ts';
import type { MachineDeploymentView } from './flow/view.ts';

/** What is needed to make a set. */
interface Maker {
  deploymentWrites: Writable<MachineDeployment>;
  setWrites: Writable<MachineSet>;
  events: Events;
}

/** A set is stored with another template than it was created with, and it was not changed since: admission changed it. */
export class TemplateNotKept extends Error {}

/** A set of the same name is gone but for the object: who keeps that may be about to take the finalizer off. */
export class NameStillKept extends Error {}

/** So long a name that is still kept is waited for, before the set gets another one, milliseconds. */
const KEPT_MS = 60_000;

/** Makes a set. What comes of it is told in the status at once: who asks for it next may be told no again (hack/spec/mcm.md 4.4). */
export async function createSet(maker: Maker, view: MachineDeploymentView, set: MachineSet): Promise<Expectations> {
  const { setWrites, events } = maker;
  const { name } = set.metadata;
  const size = set.spec?.replicas ?? 0;
  const made = await setWrites.api.create(setWrites.resource, set).catch((error: unknown) => {
    if (!isAlreadyExists(error)) return notCreated(maker, view, { name, error });
    return undefined;
  });
  if (!made) return nameTaken(maker, view, set);
  if (size > 0) events.record(view.deployment, scaled('up', name, size));
  const making = { status: 'True', reason: 'NewMachineSetCreated', message: `Created machine set ${name}` } as const;
  return [setWrites.cache.whenSeen(made), ...(await tell(maker, { ...view, making }))];
}

/** The event that tells of a set's new size (hack/spec/mcm.md 10.1). */
export const scaled = (way: 'up' | 'down', name: string, replicas: number): Note =>
  eventOf(own, 'ScalingMachineSet', `Scaled ${way} machine set ${name} to ${replicas}`);

/**
 * Ours of this template: an earlier pass made it, and its answer was lost. Any other set, one of ours that somebody gave
 * another template, or keeps for more than a moment, among them, counts as a collision of hashes: the next pass takes another name (hack/spec/mcm.md 4.4).
 */
async function nameTaken(maker: Maker, view: MachineDeploymentView, set: MachineSet): Promise<Expectations> {
  const { api, resource, cache } = maker.setWrites;
  const { deployment } = view;
  const found = await api.get(resource, set.metadata);
  const isKept = isOnlyKept(found);
  if (isKept && view.now - Date.parse(found.metadata.deletionTimestamp ?? '') < KEPT_MS)
    throw new NameStillKept(`${set.metadata.name} is being deleted`);
  const ours = !isKept && controllerOf(found)?.uid === deployment.metadata.uid;
  if (ours && newSetOf(deployment, [{ set: found, machines: [] }])) return [cache.whenSeen(found)];
  if (ours && found.metadata.generation === 1 && isOfHash(found, set)) {
    const why = 'it was made, and is stored with another template: a webhook may have changed it';
    return notCreated(maker, view, { name: set.metadata.name, error: new TemplateNotKept(why) });
  }
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  return mergeStatus(maker.deploymentWrites, deployment, { collisionCount });
}

const isOfHash = (found: MachineSet, { metadata }: MachineSet): boolean =>
  found.metadata.labels?.[LABEL_TEMPLATE_HASH] === metadata.labels?.[LABEL_TEMPLATE_HASH];

/** Tells why there is no set, and throws that. */
async function notCreated(
  maker: Maker,
  view: MachineDeploymentView,
  { name, error }: { name: string; error: unknown },
): Promise<never> {
  const message = `Failed to create machine set ${name}: ${error instanceof Error ? error.message : String(error)}`;
  maker.events.record(view.deployment, eventOf(own, 'MachineSetCreateError', message));
  const making = { status: 'False', reason: 'MachineSetCreateError', message } as const;
  // What it was refused for is what is thrown.
  await tell(maker, { ...view, making }).catch(() => {});
  throw error;
}

async function tell({ deploymentWrites }: Maker, view: MachineDeploymentView): Promise<Expectations> {
  const change = mergePatch(view.deployment.status ?? {}, statusOf(view, timestamp(view.now)));
  return change ? mergeStatus(deploymentWrites, view.deployment, change) : [];
}
