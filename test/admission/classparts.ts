import type { MachineClass } from '../../schemas/machineclass.ts';
import type { AdmissionCase } from './case.ts';

/** What holds for the references to Secrets and the nodeTemplate of a class. */
export function classPartCases(
  build: (change?: (made: MachineClass) => void) => MachineClass,
): AdmissionCase<MachineClass>[] {
  const having = (more: Partial<MachineClass>) => build((made) => Object.assign(made, more));
  const node = { capacity: { cpu: '2', gpu: 0, memory: '4Gi' }, instanceType: 'a', region: 'b', zone: 'c' };
  return [
    {
      what: 'Secrets by name',
      now: having({ secretRef: { name: 'a' }, credentialsSecretRef: { name: 'b.c' } }),
      refused: [],
    },
    {
      what: 'empty references, as typed clients write them',
      now: having({ secretRef: { name: '', namespace: '' }, credentialsSecretRef: {} }),
      refused: [],
    },
    {
      what: 'Secrets of another namespace',
      now: having({
        secretRef: { name: 'a', namespace: 'kube-system' },
        credentialsSecretRef: { name: 'b', namespace: 'kube-system' },
      }),
      refused: ['credentials-secret-ref', 'secret-ref'],
    },
    {
      what: 'Secrets without a name, and with none that an object can have',
      now: having({ secretRef: { namespace: 'elsewhere' }, credentialsSecretRef: { name: 'My_Secret' } }),
      refused: ['credentials-secret-ref', 'secret-ref', 'secret-ref'],
    },
    {
      what: 'another label of a class whose Secret was elsewhere before',
      before: having({ secretRef: { name: 'a', namespace: 'kube-system' } }),
      now: having({
        secretRef: { name: 'a', namespace: 'kube-system' },
        metadata: { name: 'small', labels: { a: 'b' } },
      }),
      refused: [],
    },
    { what: 'a whole nodeTemplate', now: having({ nodeTemplate: node }), refused: [] },
    {
      what: 'a nodeTemplate in parts',
      now: having({ nodeTemplate: { ...node, capacity: { cpu: '2', memory: '4Gi' }, zone: '' } }),
      refused: [],
      warned: ['node-template-complete', 'node-template-complete'],
    },
  ];
}
