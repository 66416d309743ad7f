import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { AdmissionCase } from './case.ts';
import { copiedCases } from './copied.ts';
import type { SpecBuild } from './machinespec.ts';

/** What holds for the class of a machine, or for the provider and providerSpec in its place, as to what else there is. */
export function madeFromCases<T extends KubeObject>({ build, specOf, idPrefix }: SpecBuild<T>): AdmissionCase<T>[] {
  const inline = (provider: string, providerSpec: Record<string, unknown>) =>
    build((made) => Object.assign(specOf(made), { class: undefined, provider, providerSpec }));
  const id = (name: string) => `${idPrefix}${name}`;
  return [
    { what: 'a class that is not there', now: build(), among: [], refused: [], warned: [id('class-there')] },
    { what: 'a driver', now: inline('virtual', { capacity: 3 }), refused: [] },
    { what: 'a driver of somebody else', now: inline('aws', { any: 1 }), refused: [], warned: [id('driver-there')] },
    { what: 'a driver in capitals', now: inline('Virtual', {}), refused: [], warned: [id('driver-there')] },
    {
      what: 'a providerSpec with slips of the pen, of the wrong types and of bad values',
      now: inline('virtual', {
        latancy: { boot: '1s' },
        latency: { boot: '10', spread: 2, 'a key of one’s own': true },
        node: { taints: [{ key: 'dedicated', effect: 'noschedule' }], capacity: { cpu: 'lots' } },
        capacity: '3',
      }),
      refused: Array(7).fill(id('spec-fits-driver')),
    },
    ...copiedCases({
      broken: inline('virtual', { cpu: 2 }),
      good: inline('virtual', {}),
      rule: id('spec-fits-driver'),
    }),
    {
      what: 'a providerSpec that did not fit before',
      before: inline('virtual', { cpu: 2 }),
      now: build((made) => {
        Object.assign(specOf(made), specOf(inline('virtual', { cpu: 2 })), { drainTimeout: '5m' });
      }),
      refused: [],
    },
  ];
}
