import { expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { at, machine } from '../fixtures/objects.ts';
import { WorldClock } from '../world/clock.ts';
import { Cloud } from './cloud.ts';
import { Heirs } from './heirs.ts';

const WISH = { class: 'herd/small', nodeName: 'm', incarnation: 'i', initialized: true, size: 1, tags: {}, lagMs: 0 };
const LEAVING = { deletionTimestamp: at(9), finalizers: ['example.com/audit'] };

/** A VM that was made for a Machine, and a thief of which it is recorded. */
function stolen({
  owner,
  marks = false,
  isRecorded = true,
}: {
  owner?: object;
  marks?: boolean;
  isRecorded?: boolean;
}) {
  const cloud = new Cloud({ clock: new WorldClock(), breach: undefined, skewMs: 0 });
  const vm = cloud.create({ ...WISH, token: 'uid-owner', machine: 'herd/owner' });
  const annotations = { [ANNOTATION_CONFIRMED]: isRecorded ? `uid-thief ${at(1)} ${vm.providerID}` : '' };
  const spec = { providerID: vm.providerID };
  const thief = machine({ metadata: { name: 'thief', uid: 'uid-thief', annotations }, spec });
  const machines: Machine[] = owner ? [machine({ metadata: { name: 'owner', uid: 'uid-owner', ...owner }, spec })] : [];
  const control = { api: { store: { list: () => machines } } } as never;
  const heirs = new Heirs({ cloud, control, marks });
  heirs.note({ resource: 'machine.sapcloud.io/machines', before: thief, after: thief, told: thief } as never);
  return [heirs.has(vm.providerID), vm.token];
}

test.each([
  ['is taken over once its Machine has gone', {}, [true, 'uid-thief']],
  ['is taken over once its Machine is only kept by somebody else', { owner: LEAVING }, [true, 'uid-thief']],
  ['is not while its Machine is there', { owner: {} }, [false, 'uid-owner']],
  ['is not before that is recorded', { isRecorded: false }, [false, 'uid-owner']],
  ['is not where marks tell whose it is', { marks: true }, [false, 'uid-owner']],
])('a VM %s', (_what, facts, expected) => expect(stolen(facts)).toEqual(expected as never));
