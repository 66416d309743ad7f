import { expect, test } from 'bun:test';
import type { KubeObject } from '../k8s/object.ts';
import { eventOf, type Occurrence, seriesKeyOf } from './record.ts';

const machine: KubeObject = {
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'Machine',
  metadata: { namespace: 'ns', name: 'm-1', uid: 'u1', resourceVersion: '7', labels: { not: 'copied' } },
};
const created: Occurrence = { type: 'Normal', reason: 'Created', note: 'VM is there' };
const report = {
  controller: 'drover.dev/controller',
  instance: 'pod-1',
  now: Date.parse('2026-01-01T00:00:00.123Z'),
  chance: 0.5,
};

test('an event names object, reporter, time and what happened; the action is the reason unless said', () => {
  expect(eventOf(machine, created, report)).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace: 'ns', name: 'm-1.18867251f55675e0' },
    eventTime: '2026-01-01T00:00:00.123000Z',
    reportingController: 'drover.dev/controller',
    reportingInstance: 'pod-1',
    type: 'Normal',
    reason: 'Created',
    action: 'Created',
    note: 'VM is there',
    regarding: {
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'Machine',
      namespace: 'ns',
      name: 'm-1',
      uid: 'u1',
      resourceVersion: '7',
    },
  });
  expect(eventOf(machine, { ...created, action: 'Create' }, report).action).toBe('Create');
});

test('the event of an object without a namespace stands in default', () => {
  const node = { kind: 'Node', metadata: { name: 'n' } };
  const event = eventOf(node, created, report);
  expect(event.metadata.namespace).toBe('default');
  expect(event.regarding.namespace).toBeUndefined();
});

test('an event’s name is short enough and legal, however long the object’s is', () => {
  const name = `${'a'.repeat(234)}-.bc${'d'.repeat(16)}`;
  const event = eventOf({ ...machine, metadata: { name } }, created, report);
  expect(event.metadata.name).toBe(`${'a'.repeat(234)}.18867251f55675e0`);
  expect(event.regarding.name).toBe(name);
});

test.each([
  ['a short note', 'short', 'short'],
  ['one of just the length', 'x'.repeat(1024), 'x'.repeat(1024)],
  ['one too long', 'x'.repeat(1025), `${'x'.repeat(1021)}…`],
  ['one cut within a character', 'ä'.repeat(600), `${'ä'.repeat(510)}…`],
])('%s stays within the limit', (_what, note, written) => {
  expect(eventOf(machine, { ...created, note }, report).note).toBe(written);
});

test.each<[string, KubeObject, Occurrence, boolean]>([
  ['the same again', machine, created, true],
  [
    'a later version of the object',
    { ...machine, metadata: { ...machine.metadata, resourceVersion: '8' } },
    created,
    true,
  ],
  ['another object of that name', { ...machine, metadata: { ...machine.metadata, uid: 'u2' } }, created, false],
  ['another reason', machine, { ...created, reason: 'Adopted' }, false],
  ['another note', machine, { ...created, note: 'VM is here' }, false],
  ['another type', machine, { ...created, type: 'Warning' }, false],
])('%s belongs to the same series: %3$p', (_what, object, occurrence, same) => {
  expect(seriesKeyOf(object, occurrence) === seriesKeyOf(machine, created)).toBe(same);
});
