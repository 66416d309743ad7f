/**
 * What an object or list takes beside its parts, a value that is no text, a text beside its characters, and the name of a field that few
 * objects have, in bytes; roughly as JavaScriptCore has it: measured, and more rather than less for what only attacks are made of.
 */
const COSTS = { map: 64, value: 8, text: 32, key: 80 };

/** Names of fields that all objects share, and that therefore cost nothing: those of what is kept of Nodes, Pods and the like. */
const SHARED: ReadonlySet<string> = new Set(
  [
    'apiVersion kind metadata spec status data type',
    'name namespace uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds',
    'labels annotations finalizers ownerReferences controller blockOwnerDeletion',
    'nodeName priority terminationGracePeriodSeconds volumes persistentVolumeClaim claimName phase',
    'source persistentVolumeName attached holderIdentity leaseDurationSeconds renewTime',
    'podCIDR podCIDRs providerID unschedulable taints key value effect timeAdded',
    'addresses address capacity conditions reason message lastHeartbeatTime lastTransitionTime',
    'nodeInfo architecture bootID containerRuntimeVersion kernelVersion kubeProxyVersion kubeletVersion machineID',
    'operatingSystem osImage systemUUID swap volumesAttached devicePath',
  ].flatMap((names) => names.split(' ')),
);

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
  let weight = 0;
  for (const name of Object.keys(map)) if (!SHARED.has(name)) weight += COSTS.key + bytesOf(name);
  return weight;
}

const bytesOf = (text: string): number => (WIDE.test(text) ? 2 : 1) * text.length;
