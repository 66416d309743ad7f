import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { AdmissionCase } from './case.ts';
import type { SpecBuild } from './machinespec.ts';

const ROLE = 'node-role.kubernetes.io/node';
const RESTRICTED = 'node-restriction.kubernetes.io/trusted';

/** What a nodeTemplate may say of a Node that no kubelet may say of its own (hack/decisions/0028 T8, T20). */
export function nodeKeyCases<T extends KubeObject>({ build, specOf }: SpecBuild<T>): AdmissionCase<T>[] {
  const labelled = (labels: Record<string, string>, annotations: Record<string, string> = {}) =>
    build((made) => {
      specOf(made).nodeTemplate = { metadata: { labels, annotations } };
    });
  const keys: ReadonlyArray<[key: string, rule: string]> = [
    [ROLE, 'protected-node-role'],
    ['node-role.kubernetes.io/control-plane', 'protected-node-role'],
    ['kubernetes.io/role', 'protected-node-role'],
    [RESTRICTED, 'protected-node-restriction'],
    ['example.io.node-restriction.kubernetes.io/trusted', 'protected-node-restriction'],
    ['kops.k8s.io/instancegroup', 'protected-node-kubernetes'],
    ['k8s.io/cloud-provider-aws', 'protected-node-kubernetes'],
    ['addons.kubernetes.io/place', 'protected-node-kubernetes'],
    ['kubernetes.io/cluster-service', 'protected-node-kubernetes'],
  ];
  return [
    ...keys.flatMap(([key, rule]): AdmissionCase<T>[] => [
      { what: `the label ${key} for its Node by its owner`, now: labelled({ [key]: 'x' }), refused: [rule] },
      {
        what: `the label ${key} for its Node by an operator`,
        as: 'operator',
        now: labelled({ [key]: 'x' }),
        refused: [],
      },
    ]),
    {
      what: 'a role for its Node later by its owner',
      before: build(),
      now: labelled({ [ROLE]: '' }),
      refused: ['protected-node-role'],
    },
    {
      what: 'a place of a project of Kubernetes for its Node later by its owner',
      before: build(),
      now: labelled({ 'kops.k8s.io/instancegroup': 'masters' }),
      refused: ['protected-node-kubernetes'],
    },
    {
      what: 'such a place that was there before, left as it is by its owner',
      before: labelled({ 'kops.k8s.io/instancegroup': 'nodes' }),
      now: labelled({ 'kops.k8s.io/instancegroup': 'nodes', 'example.io/pool': 'a' }),
      refused: [],
    },
    {
      what: 'another place for its Node by its owner',
      before: labelled({ [RESTRICTED]: 'no' }),
      now: labelled({ [RESTRICTED]: 'yes' }),
      refused: ['protected-node-restriction'],
    },
    {
      what: 'no role for its Node any more by its owner',
      before: labelled({ [ROLE]: '' }),
      now: labelled({}),
      refused: ['protected-node-role'],
    },
    {
      what: 'a role for its Node that was there before, left as it is by its owner',
      before: labelled({ [ROLE]: '' }),
      now: labelled({ [ROLE]: '', 'example.io/pool': 'a' }),
      refused: [],
    },
    {
      what: 'a role and a place for its Node later by an operator',
      as: 'operator',
      before: build(),
      now: labelled({ [ROLE]: '', [RESTRICTED]: 'yes' }),
      refused: [],
    },
    {
      what: 'what a kubelet may say of its own Node, by its owner',
      now: labelled(
        {
          'node.kubernetes.io/role': 'node',
          'topology.kubernetes.io/zone': 'a',
          'kubernetes.io/arch': 'arm64',
          'beta.kubernetes.io/instance-type': 'small',
          'example.io.kubelet.kubernetes.io/note': 'a',
          'networking.gardener.cloud/node-local-dns-enabled': 'true',
          'worker.garden.sapcloud.io/group': 'a',
          'notk8s.io/note': 'a',
          'worker.gardener.cloud/pool': 'a',
        },
        { [ROLE]: 'only a note', 'example.io.protected/door': 'open' },
      ),
      refused: [],
    },
  ];
}
