/** Where a behaviour is decided, and the files that somebody opens to find it: the map first, and last the one with the line. */
export interface Behaviour {
  behaviour: string;
  route: readonly string[];
  /** Stands in the last file of the route. */
  line: string;
}

const controller = 'controller/README.md';
const webhook = 'webhook/README.md';

/** What people look for in the code. Strangers who had only pages and names of files found these within four opens each. */
export const behaviours: readonly Behaviour[] = [
  {
    behaviour: 'a Machine is Failed after its health time-out',
    route: [controller, 'controller/machine/flow/health.ts'],
    line: "fail('HealthTimedOut'",
  },
  {
    behaviour: 'how soon a refused eviction is tried again',
    route: [controller, 'controller/drain/podtracker.ts'],
    line: 'jitter(random, EVICTION_RETRY_MS)',
  },
  {
    behaviour: 'who takes the finalizer of a Machine off',
    route: [controller, 'controller/machine/flow/flow.ts'],
    line: "{ do: 'removeFinalizer' }",
  },
  {
    behaviour: 'which machine goes first when a set is scaled down',
    route: [controller, 'controller/machineset/flow/scaledown.ts'],
    line: 'compare(a.rank, b.rank)',
  },
  {
    behaviour: 'how urgent a key is in the queue',
    route: [controller, 'controller/flow/priority.ts'],
    line: 'level.priority : defaults[trigger]',
  },
  {
    behaviour: 'a lost lease ends the process',
    route: [controller, 'controller/manager/leader.ts'],
    line: "=== 'lost'",
  },
  {
    behaviour: 'when a failed driver call is tried again',
    route: [controller, 'controller/machine/calls/failures.ts'],
    line: 'PERMANENT.has(group)',
  },
  {
    behaviour: 'a bootstrap token is made, and deleted',
    route: [controller, 'controller/machine/bootstrap/tokens.ts', 'controller/machine/bootstrap/token.ts'],
    line: "{ do: 'delete' }",
  },
  {
    behaviour: 'what is put into the user data',
    route: [controller, 'controller/machine/bootstrap/token.ts'],
    line: "'BOOTSTRAP_TOKEN'",
  },
  {
    behaviour: 'from how many machines on a set is frozen',
    route: [controller, 'controller/machineset/flow/overshoot.ts'],
    line: 'surgeOf(set) + overshoot.up',
  },
  {
    behaviour: 'which VM without a Machine is deleted',
    route: [controller, 'controller/safety/orphans/flow/plan.ts'],
    line: "? 'held' : 'due'",
  },
  {
    behaviour: 'how many machines maxSurge lets there be',
    route: [controller, 'controller/machinedeployment/flow/rollout.ts', 'controller/machinedeployment/flow/view.ts'],
    line: 'share(maxSurge, replicas, Math.ceil)',
  },
  {
    behaviour: 'a typo in providerSpec is answered with "did you mean"',
    route: [webhook, 'webhook/providers/schema.ts'],
    line: 'did you mean',
  },
  {
    behaviour: 'the default of a deployment’s strategy',
    route: [webhook, 'webhook/rules/kinds/machinedeployment.ts', 'schemas/machinedeployment.ts'],
    line: "type: 'RollingUpdate', rollingUpdate:",
  },
  {
    behaviour: 'a protected annotation takes the verb override, by SubjectAccessReview',
    route: [webhook, 'webhook/admission/protectedkeys.ts', 'webhook/admission/accessreview.ts'],
    line: "verb: 'override'",
  },
  {
    behaviour: 'when the webhook’s certificate is renewed',
    route: [webhook, 'webhook/certificate/authority.ts'],
    line: 'withNewLeaf(certificates, desired)',
  },
  {
    behaviour: 'what follows when the history of a watch is gone (410)',
    route: [controller, 'controller/runtime/watch/watch.ts'],
    line: 'isForgotten(error)',
  },
  {
    behaviour: 'labels of a Node: what was asked for before, and what is now',
    route: [controller, 'controller/machine/flow/nodesync.ts'],
    line: 'left(had, labels)',
  },
  {
    behaviour: 'what phase follows from a decision',
    route: [controller, 'controller/machine/status/lastoperation.ts'],
    line: 'FATAL.has(outcome.reason)',
  },
  {
    behaviour: 'a key waits until the caches show what was written for it',
    route: [controller, 'controller/framework/writer.ts'],
    line: 'on.cache.whenSeen(written)',
  },
  {
    behaviour: 'from what share on an outage of a zone counts',
    route: [controller, 'controller/safety/meltdown/policy.ts'],
    line: 'outagePercent * total',
  },
  {
    behaviour: 'when an API server counts as unreachable',
    route: [controller, 'controller/safety/outage/gate.ts'],
    line: 'now - since > unreachableAfterMs',
  },
  {
    behaviour: 'in what order pods leave a Node',
    route: [controller, 'controller/drain/flow/waves.ts'],
    line: 'Math.min(least, orderOf(pod))',
  },
  {
    behaviour: 'PodDisruptionBudgets are watched',
    route: [controller, 'controller/targets/caches.ts'],
    line: 'resource: podDisruptionBudgets',
  },
  {
    behaviour: 'how long volumes are waited for before the VM is deleted',
    route: [controller, 'controller/machine/flow/volumes.ts'],
    line: "wait('VolumesDetaching'",
  },
  {
    behaviour: 'a VM that another Machine has',
    route: [controller, 'controller/machine/flow/claim.ts'],
    line: "fail('VMClaimedByAnother'",
  },
  {
    behaviour: 'which fields of a class may change on VMs in use',
    route: [controller, 'schemas/hotpart.ts'],
    line: "is('hot')",
  },
  {
    behaviour: 'in what order a Node is updated in place',
    route: [controller, 'controller/machine/flow/inplaceupdate.ts'],
    line: "'ReadyForUpdate'",
  },
  {
    behaviour: 'a deployment goes back to a revision',
    route: [controller, 'controller/machinedeployment/flow/revision.ts'],
    line: "'DeploymentRollback'",
  },
  {
    behaviour: 'how much memory a target cluster may take',
    route: [controller, 'controller/targets/caches.ts', 'controller/runtime/memory/cacheroom.ts'],
    line: 'own + change > each',
  },
  {
    behaviour: 'a VM that may turn up after its Machine is gone',
    route: [controller, 'controller/machine/flow/vmabsence.ts'],
    line: 'inheritedAt + limits.vmYouth',
  },
  {
    behaviour: 'how long a set waits for more changes of its machines',
    route: [controller, 'controller/state/gathering.ts'],
    line: 'TIMES_THE_LOOK * queue.tookMs(key)',
  },
  {
    behaviour: 'which metrics of single objects a scrape updates',
    route: [controller, 'controller/framework/objectmetrics.ts'],
    line: 'this.#shown.get(key) === object',
  },
  {
    behaviour: 'an API server whose store was restored from a backup',
    route: [controller, 'controller/runtime/watch/history.ts'],
    line: 'compareVersions(',
  },
];
