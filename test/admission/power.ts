import type { Machine } from '../../schemas/machine.ts';
import type { AdmissionCase } from './case.ts';

/** When a machine may be suspended and restarted, of whatever driver; the rest of it is said in CEL. */
export function powerCases(build: (change?: (made: Machine) => void) => Machine): AdmissionCase<Machine>[] {
  const others = { class: undefined, provider: 'aws', providerSpec: {} };
  const unheeded = ['heeded-elsewhere'];
  const warned = [...unheeded, 'driver-there'];
  const spec = (more: Machine['spec']) => build((made) => Object.assign(made.spec, others, more));
  return [
    { what: 'powered off from the start', now: spec({ powerState: 'PoweredOff' }), refused: [], warned },
    {
      what: 'suspended from the start',
      now: spec({ powerState: 'Suspended' }),
      refused: ['not-suspended-on-create'],
      warned,
    },
    {
      what: 'suspended later',
      before: spec({}),
      now: spec({ powerState: 'Suspended' }),
      refused: [],
      warned: unheeded,
    },
    {
      what: 'a restart that is over in a manifest that is applied anew',
      now: spec({ nextRestartTime: '1999-01-31T08:00:00Z' }),
      refused: [],
      warned,
    },
    {
      what: 'a restart to come',
      before: spec({}),
      now: spec({ nextRestartTime: '2999-01-31T08:00:00Z' }),
      refused: [],
      warned: unheeded,
    },
    {
      what: 'a restart in the past',
      before: spec({ nextRestartTime: '2999-01-31T08:00:00Z' }),
      now: spec({ nextRestartTime: '1969-01-31T08:00:00Z' }),
      refused: ['restart-ahead'],
      warned: unheeded,
    },
    {
      what: 'a restart at once',
      before: spec({}),
      now: spec({ nextRestartTime: 'now' }),
      refused: [],
      warned: unheeded,
    },
  ];
}
