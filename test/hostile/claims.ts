import { type Attack, byPolicy, machine, templated } from './attack.ts';

const CLAIMS = byPolicy('drover-claims');
const row = (tries: string, rest: Omit<Attack, 'who' | 'tries'>): Attack => ({ who: 'mallory', tries, ...rest });

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
  row('a template that names a Node for all of its machines', {
    does: 'create -f -',
    stdin: templated('MachineSet', { metadata: { labels: { herd: 'NAME', node: 'control-plane-1' } } }),
    must: 'pass',
  }),
];
