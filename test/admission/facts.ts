import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import type { Cluster } from '../../schemas/cluster.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type MachineClass, machineClassKind } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { capabilityRows } from '../../schemas/providers/capabilities.ts';
import { type Published, providers as published } from '../../schemas/providers/index.ts';
import type { Facts, LookUp } from '../../webhook/admission/context.ts';
import { createLookUp, makeCaches } from '../../webhook/admission/lookup.ts';
import { registerProviders } from '../../webhook/providers/provider.ts';
import { clusterNamed } from './among.ts';

/** The namespace of a request in which none is named. */
export const NAMESPACE = 'default';

/** A driver that can do nothing but make and remove VMs, and one that can do everything. */
const madeUp: readonly Published[] = [
  { name: 'shelf', providerSpec: { type: 'object' } },
  { name: 'forge', providerSpec: { type: 'object' }, capabilities: capabilityRows.map(([word]) => word) },
];

/** The drivers of the program, compiled once for all tests. */
export const providers = registerProviders([...published, ...madeUp]);

/** A class of the virtual driver. */
export const smallClass: MachineClass = {
  apiVersion,
  kind: machineClassKind.kind,
  metadata: { name: 'small' },
  provider: 'virtual',
  providerSpec: {},
};

/** What is there unless a test says what is. */
export const usualObjects: readonly KubeObject[] = [smallClass, clusterNamed('west'), clusterNamed('east')];

/** Looks facts up in caches that hold these objects, in {@link NAMESPACE} unless they name another one. */
export function lookUpIn(objects = usualObjects): LookUp {
  const caches = makeCaches(new FakeLog());
  const ofKind = <T extends KubeObject>(kind: string) =>
    objects
      .filter((one) => one.kind === kind)
      .map((one) => ({ ...one, metadata: { namespace: NAMESPACE, ...one.metadata } }) as T);
  caches.classes.reset(ofKind<MachineClass>('MachineClass'), '1');
  caches.machines.reset(ofKind<Machine>('Machine'), '1');
  caches.sets.reset(ofKind<MachineSet>('MachineSet'), '1');
  caches.deployments.reset(ofKind<MachineDeployment>('MachineDeployment'), '1');
  caches.clusters.reset(ofKind<Cluster>('Cluster'), '1');
  return createLookUp({ caches, providers, clock: new FakeClock() });
}

/** The facts of {@link NAMESPACE} with these objects in it. */
export const factsOf = (objects?: readonly KubeObject[]): Facts => lookUpIn(objects)(NAMESPACE);
