import type { Machine } from '../../schemas/machine.ts';
import type { AdmissionCase } from './case.ts';

/** What may change of the providerSpec that a machine has for itself. */
export function inlineCases(build: (change?: (made: Machine) => void) => Machine): AdmissionCase<Machine>[] {
  const inline = (providerSpec: Record<string, unknown>, providerID?: string) =>
    build((made) => {
      made.spec = { provider: 'virtual', providerSpec, ...(providerID ? { providerID } : {}) };
    });
  const VM = 'virtual:///1';
  return [
    {
      what: 'what a VM is made from, before there is one',
      before: inline({}),
      now: inline({ initialize: true }),
      refused: [],
    },
    {
      what: 'what a VM is made from, together with the VM',
      as: 'operator',
      before: inline({}),
      now: inline({ initialize: true }, VM),
      refused: [],
    },
    {
      what: 'what a VM is made from, when there is one',
      before: inline({ node: { os: 'linux' } }, VM),
      now: inline({ initialize: true, node: { os: 'windows' } }, VM),
      refused: ['inline-in-use', 'inline-in-use'],
    },
    {
      what: 'what a VM follows',
      before: inline({ tags: { team: 'blue' } }, VM),
      now: inline({ tags: { team: 'green' }, heartbeat: '5s' }, VM),
      refused: [],
    },
  ];
}
