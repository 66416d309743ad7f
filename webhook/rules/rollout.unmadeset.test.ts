import { expect, test } from 'bun:test';
import { apiVersion } from '../../schemas/kinds.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { rollbackTarget as targetOf } from '../../schemas/revisions.ts';
import { factsOf } from '../../test/admission/facts.ts';
import { setWith } from '../../test/admission/replaces.ts';
import { rollbackTarget } from './rollout.ts';

/** A Recreate that still waits for its old machines, a frozen deployment, or one whose template is at fault: of its template there is no set yet. */
const herd = (rollbackTo?: { revision?: number }): MachineDeployment => ({
  apiVersion,
  kind: 'MachineDeployment',
  metadata: { name: 'herd', namespace: 'default' },
  spec: {
    replicas: 3,
    strategy: { type: 'Recreate' },
    template: { metadata: { labels: { app: 'herd' } }, spec: { class: { kind: 'MachineClass', name: 'bad' } } },
    ...(rollbackTo && { rollbackTo }),
  },
});

// hack/decisions/0051 U50: the controller and MCM (hack/spec/mcm.md 4.8) go back to revision 1 here; the webhook refuses who asks for it.
test('who goes back before a set of the present template was made is not refused', () => {
  const sets = [setWith(1, 3)];
  expect(targetOf(herd({ revision: 0 }), sets)).toBe(sets[0]);
  expect(rollbackTarget.validate(herd({ revision: 0 }), herd(), factsOf(sets))).toEqual([]);
});
