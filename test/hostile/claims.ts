import { Hopeless } from '../../hack/lib/until.ts';
import { type Attack, byPolicy, type Manifest, machine, type Scene, templated } from './attack.ts';

const CLAIMS = byPolicy('drover-claims');
const row = (tries: string, rest: Omit<Attack, 'who' | 'tries'>): Attack => ({ who: 'mallory', tries, ...rest });

const evil = {
  class: { kind: 'MachineClass', name: 'small' },
  nodeTemplate: {
    metadata: { labels: { evil: 'yes' } },
    spec: { taints: [{ key: 'evil.io/x', effect: 'NoExecute' }] },
  },
};
const bare: Manifest = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'cp-NAME' } };
const controlPlane: Manifest = {
  ...bare,
  metadata: { name: 'cp-NAME', labels: { 'node-role.kubernetes.io/control-plane': '' } },
  spec: { providerID: 'kind://docker/kind/cp-NAME' },
};

/** The controller has looked at the machine, and the Node is as the administrator made it. */
async function untouched(scene: Scene): Promise<boolean> {
  const said = await scene.look('get mc NAME -o jsonpath={.status.conditions[*].reason}{.metadata.deletionTimestamp}');
  await assertUntouched(scene);
  return said !== '';
}

async function assertUntouched({ look }: Scene): Promise<void> {
  const marks =
    '{.spec.unschedulable}{.spec.taints[?(@.key=="evil.io/x")].key}{.metadata.labels.evil}{.metadata.annotations.machine\\.sapcloud\\.io/machine}';
  const node = await look(`get node cp-NAME -o jsonpath=${marks}|{.metadata.name}`);
  if (!node.startsWith('|cp-')) throw new Hopeless(`the Node was touched: ${node}`);
}

/** Nodes and VMs of others (hack/decisions/0028 W4). */
export const claimAttacks: readonly Attack[] = [
  row('to claim another’s Node by its label, later', {
    given: [machine()],
    does: 'label mc NAME node=control-plane-1',
    must: CLAIMS,
  }),
  row('to claim another’s VM by its providerID, later', {
    given: [machine()],
    does: 'patch mc NAME --type=merge -p {"spec":{"providerID":"virtual:///victims"}}',
    must: CLAIMS,
  }),
  row('to change the Node of a machine that leaves', {
    given: [machine({ labels: { node: 'mine' } })],
    leaving: 'mc/NAME',
    does: 'label mc NAME --overwrite node=control-plane-1',
    must: CLAIMS,
  }),
  row('to have a machine forget its Node', {
    given: [machine({ labels: { node: 'mine' } })],
    does: 'label mc NAME node-',
    must: CLAIMS,
  }),
  row('to change the VM of a machine', {
    given: [machine({}, { providerID: 'virtual:///mine' })],
    does: 'patch mc NAME --type=merge -p {"spec":{"providerID":"virtual:///victims"}}',
    must: /providerID/,
  }),
  row('to taint the control plane by a machine that claims it from the start', {
    given: [controlPlane],
    does: 'create -f -',
    stdin: machine({ labels: { node: 'cp-NAME' } }, { ...evil, providerID: 'kind://docker/kind/cp-NAME' }),
    must: 'pass',
    after: untouched,
  }),
  row('to have it deleted with the machine', {
    given: [controlPlane],
    does: 'create -f -',
    stdin: machine(
      { labels: { node: 'cp-NAME', 'force-deletion': 'True' } },
      { ...evil, providerID: 'kind://docker/kind/cp-NAME' },
    ),
    must: 'pass',
    // By force it goes at once: its id is none that its driver has.
    after: async (scene) => {
      await scene.look('delete mc NAME --wait=false');
      const left = await scene.look('get mc -o jsonpath=[{.items[*].metadata.name}]');
      await assertUntouched(scene);
      return left.startsWith('[') && !left.slice(1, -1).split(' ').includes(scene.name);
    },
  }),
  row('to take a Node that joined later by its name alone', {
    given: [machine({ labels: { node: 'cp-NAME' } }, { ...evil, providerID: 'virtual:///nothing' }), bare],
    does: 'annotate mc NAME example.io/look=again',
    must: 'pass',
    after: untouched,
  }),
  row('a template that names a Node for all of its machines', {
    does: 'create -f -',
    stdin: templated('MachineSet', { metadata: { labels: { herd: 'NAME', node: 'control-plane-1' } } }),
    must: 'pass',
  }),
];
