import { describe, expect, test } from 'bun:test';
import { at, machine } from '../../../test/fixtures/objects.ts';
import { effectOf, type Gate, mayNot } from '../../safety/outage/gate.ts';
import { plan } from './flow.ts';
import { asks, called, effects } from './gating.ts';
import { readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineAction } from './view.ts';

// hack/decisions/0051 L87

const away = (away: 'control' | 'target'): Gate => ({ judgesFrom: 0, shut: { unreachable: away, since: 0 } });
const isHeld = (action: object, gate: Gate): boolean =>
  mayNot(effectOf(effects, action as MachineAction, view()), gate);

describe('in an outage', () => {
  const names = (Object.keys(effects) as MachineAction['do'][]).filter((name) => name !== 'call');

  test.each<['control' | 'target', string[]]>([
    ['control', ['addFinalizer', 'annotate', 'recordUpdate', 'recordVm']],
    ['target', ['addFinalizer', 'annotate', 'makeToken', 'recordUpdate', 'recordVm', 'update']],
  ])(
    'of the %s API server nothing is done but what takes nothing away, nor makes what nobody may record',
    (who, done) => {
      expect(names.filter((name) => !isHeld({ do: name }, away(who))).toSorted()).toEqual(done as typeof names);
    },
  );

  test.each<['control' | 'target', string[]]>([
    ['control', ['getMachineStatus', 'retainMachine']],
    ['target', ['claimMachine', 'createMachine', 'getMachineStatus', 'initializeMachine', 'retainMachine']],
  ])('of the %s API server no driver is called for more', (who, done) => {
    const free = called.filter((method) => !isHeld({ do: 'call', method }, away(who)));
    expect(free.toSorted()).toEqual(done as typeof free);
  });

  test('of its target a VM is marked that is to stay', () => {
    const leaver = machine({
      ...recorded,
      metadata: { ...recorded.metadata, deletionTimestamp: at(30) },
      spec: { ...recorded.spec, deletionPolicy: 'Retain' },
    });
    const decision = plan(view({ machine: leaver, vm, node: readyNode, gate: away('target') }));
    expect(decision).toMatchObject({ step: 'VMRetained', outcome: { kind: 'act', reason: 'RetainVM' } });
  });
});

test('whoever asks the API server of a target takes one of the few places of its lane, and nobody else does', () => {
  const inLane = Object.entries(asks).flatMap(([name, whom]) => (whom === 'target' ? [name] : []));
  expect(inLane.toSorted()).toEqual([
    'changeNode',
    'deleteAttachments',
    'deleteNode',
    'makeToken',
    'releaseNode',
    'removeFinalizer',
  ]);
});

test('what writes nothing is told from what may be refused', () => {
  const writes = Object.entries(asks).flatMap(([name, whom]) => (['driver', 'nobody'].includes(whom) ? [] : [name]));
  expect(Object.keys(asks).filter((name) => !writes.includes(name))).toEqual(['call', 'cancelCall', 'update', 'drain']);
});
