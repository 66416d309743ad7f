import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { isVictim } from '../../model/machine.ts';
import { deletionOrder, victims } from './scaledown.ts';
import { view } from './view.fixture.ts';

const marked = (time: string) =>
  inPhase('Running', 0, {
    metadata: {
      name: 'marked',
      uid: 'uid-marked',
      annotations: {
        'machinepriority.machine.sapcloud.io': '1',
        'machine.sapcloud.io/marked-for-deletion-time': time,
      },
    },
  });

// hack/decisions/0051 U52: the rule `marked-for-deletion` says of each of these that it "marks nothing", and MCM, which reads RFC 3339, takes it so
// (hack/spec/mcm.md 2.2, 5.5 3); VictimsMarked reads it so as well (schemas/rules/time.ts).
describe.each(['2025-12-31', '2025-12-31 08:00', 'Dec 31, 2025'])(
  'a mark that is no moment as RFC 3339 writes it: %p',
  (time) => {
    test('takes no machine beyond the number that is wanted', () => {
      const now = BORN + 60_000;
      const others = ['b', 'c'].map((name) => inPhase('Running', 0, { metadata: { name, uid: `uid-${name}` } }));
      const seen = view({ now, set: machineSet({ spec: { replicas: 3 } }), machines: [marked(time), ...others] });
      expect(isVictim(marked(time), now)).toBe(false);
      expect(victims({ ...seen, victimsUntil: now })).toEqual([]);
    });

    test('does not outweigh preservation', () => {
      const annotations = { ...marked(time).metadata.annotations };
      const kept = inPhase('Failed', 0, {
        metadata: { name: 'kept', annotations },
        status: { currentStatus: { preserveExpiryTime: at(7200) } },
      });
      const used = inPhase('Running', 0, { metadata: { name: 'used' } });
      expect(deletionOrder([kept, used], machineSet(), BORN + 60_000)[0]?.metadata.name).toBe('used');
    });
  },
);
