import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CLASS } from '../../../schemas/keys.ts';
import { at, machine, machineClass } from '../../../test/fixtures/objects.ts';
import { reasonOf } from '../../flow/flow.ts';
import { sourcesOf } from '../observe.fixture.ts';
import { observe } from '../observe.ts';
import { complaints } from '../status/events.ts';
import { statusOf } from '../status/status.ts';
import { unsupportedFields } from './classresolution.ts';
import { plan } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';

const says = 'spec.powerState cannot be set: the driver powers no VM on or off; leave it out';
const off = { powerState: 'PoweredOff', promoteDisksMode: 'Disabled' } as const;
const calls = { ...idle, askedAt: Date.parse(at(59)) };
const unsupported = unsupportedFields(off, {}) ?? '';

// hack/decisions/0051 C4
describe('a field that the driver cannot bring about, and nobody refused', () => {
  const running = view({
    machine: machine({ ...recorded, spec: { ...recorded.spec, ...off } }),
    vm,
    node: readyNode,
    calls,
  });

  test('is known by what the driver publishes, whoever names it', () => {
    expect(unsupported).toBe(says);
    expect(unsupportedFields(off, { capabilities: ['power'] })).toBeUndefined();
    expect(unsupportedFields(off, undefined)).toBeUndefined();
    const two = unsupportedFields({ ...off, image: { ref: 'debian-13' } }, { capabilities: ['images'] });
    expect(two).toBe(says);
  });

  test('is told, and never as fulfilled', () => {
    const seen = { ...running, unsupported };
    const decision = plan(seen);
    expect(reasonOf(decision)).toBe(reasonOf(plan(running)));
    const condition = statusOf(seen, decision, at(60))?.conditions?.find(({ type }) => type === 'FieldsSupported');
    expect(condition).toMatchObject({ status: 'False', reason: 'Unsupported', message: says });
    expect(complaints(seen)).toEqual([{ type: 'Warning', reason: 'Unsupported', note: says }]);
  });

  test('is not told of a driver that can', () => {
    const conditions = statusOf(running, plan(running), at(60))?.conditions;
    expect(conditions?.find(({ type }) => type === 'FieldsSupported')).toMatchObject({ status: 'True' });
    expect(complaints(running)).toEqual([]);
  });

  test('does not keep a machine from leaving', () => {
    const leaving = machine({
      ...recorded,
      spec: { ...recorded.spec, ...off },
      metadata: { ...recorded.metadata, deletionTimestamp: at(1) },
    });
    const facts = { machine: leaving, vm, calls, node: { at: 'none' } as const };
    const [one, other] = [view(facts), { ...view(facts), unsupported }].map(plan);
    expect(reasonOf(one ?? plan(running))).toBe('DeleteVM');
    expect(other).toEqual(one);
  });

  test('is seen on the machine itself, of its class or of the provider that it names', () => {
    const seen = (spec: object, metadata = {}) => {
      const one = machine({ metadata, spec: { ...off, ...spec } });
      return observe(sourcesOf(one, { classes: [machineClass()] }), 'herd/m')?.unsupported;
    };
    expect(seen({})).toBe(says);
    expect(seen({ class: undefined, provider: 'virtual', providerSpec: {} })).toBe(says);
    const gone = { class: { kind: 'MachineClass', name: 'gone' } };
    expect(seen(gone)).toBe(says);
    expect(seen(gone, { annotations: { [ANNOTATION_CLASS]: '' } })).toBeUndefined();
    expect(seen({ class: undefined, provider: 'aws', providerSpec: {} })).toBeUndefined();
  });
});
