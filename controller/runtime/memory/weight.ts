/**
 * What an object or list takes beside its parts, a value that is no text, a text beside its characters, and the name of a field in a map
 * that few objects have alike, in bytes; roughly as JavaScriptCore has it: measured, and more rather than less for what only attacks are made of.
 */
const COSTS = { map: 64, value: 8, text: 32, key: 80 };

/**
 * Fields of what is kept of Nodes, Pods and the like, as an API server writes them, or as they are slimmed. A map of some of these, in this
 * order, shares its names and their order with all others alike, and pays for none; there are few such, whatever a server sends.
 */
const SHAPES: ReadonlyArray<ReadonlyMap<string, number>> = [
  'apiVersion kind metadata spec status data type',
  'kind apiVersion metadata spec status',
  'kind apiVersion metadata data type',
  'name generateName namespace uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers',
  'apiVersion kind name uid controller blockOwnerDeletion',
  'podCIDR podCIDRs providerID unschedulable taints',
  'capacity phase conditions addresses nodeInfo volumesAttached',
  'type status lastHeartbeatTime lastTransitionTime reason message',
  'type address',
  'key value effect timeAdded',
  'machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion kubeletVersion kubeProxyVersion operatingSystem architecture swap',
  'name devicePath',
  'nodeName priority terminationGracePeriodSeconds volumes',
  'persistentVolumeClaim',
  'claimName',
  'name ephemeral',
  'nodeName source',
  'persistentVolumeName',
  'attached',
  'holderIdentity leaseDurationSeconds acquireTime renewTime',
].map((names) => new Map(names.split(' ').map((name, at) => [name, at])));

/** A character that makes each of its text take two bytes. */
const WIDE = /[\u0100-\uffff]/;

/** About how many bytes a value of JSON takes in memory: enough to tell a herd from an attack. */
export function weightOf(value: unknown): number {
  const open: unknown[] = [value];
  let weight = 0;
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next === 'string') weight += COSTS.text + bytesOf(next);
    else if (typeof next !== 'object' || next === null) weight += COSTS.value;
    else {
      weight += COSTS.map;
      if (!Array.isArray(next)) weight += namesOf(next);
      for (const part of Object.values(next)) open.push(part ?? null);
    }
  }
  return weight;
}

function namesOf(map: object): number {
  const names = Object.keys(map);
  if (SHAPES.some((shape) => isPartOf(shape, names))) return 0;
  return names.reduce((weight, name) => weight + COSTS.key + bytesOf(name), 0);
}

function isPartOf(shape: ReadonlyMap<string, number>, names: readonly string[]): boolean {
  let last = -1;
  for (const name of names) {
    const at = shape.get(name) ?? -1;
    if (at <= last) return false;
    last = at;
  }
  return true;
}

const bytesOf = (text: string): number => (WIDE.test(text) ? 2 : 1) * text.length;
