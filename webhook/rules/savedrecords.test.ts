import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { OPERATOR, webhookApp } from '../../test/admission/app.ts';
import { type Asked, answerTo } from '../../test/admission/review.ts';
import type { Permission } from '../admission/accessreview.ts';

// hack/decisions/0028 M16

const CLASS = 'protected.drover.dev/machine-class';
const CONFIRMED = 'protected.drover.dev/vm-confirmed';
const PAUSED = 'vmoperator.vmware.com/paused';
const UID = '00000000-0000-4000-8000-000000000001';

const notes = { [CLASS]: '{}', [CONFIRMED]: `${UID} 2026-01-01T00:00:00Z virtual:///1` };
const machine = (annotations: object, labels: object = {}, kind = 'Machine') =>
  ({
    apiVersion,
    kind,
    metadata: { name: 'one', uid: UID, annotations, labels: { app: 'herd', ...labels } },
    spec: { class: { kind: 'MachineClass', name: 'small' } },
  }) as unknown as KubeObject;

/** What is written in the end, and what its author is told. */
async function written(asked: Asked, permission?: Permission) {
  const { app } = webhookApp(permission);
  const { allowed, patch = '', warnings } = await answerTo(app, '/mutate', { user: { username: '' }, ...asked });
  expect(allowed).toBe(true);
  const made = structuredClone(asked.now) as KubeObject;
  for (const { path, value } of patch ? JSON.parse(Buffer.from(patch, 'base64').toString()) : [])
    if (/^\/metadata\/(annotations|labels)$/.test(path)) Object.assign(made.metadata, { [path.split('/')[2]]: value });
  return { ...made.metadata, warnings };
}

describe('a machine made from what was saved', () => {
  test('leaves out what the controller noted, and says so', async () => {
    const now = machine({ ...notes, [PAUSED]: '', mine: 'a' }, { [PAUSED]: 'devops' });
    expect(await written({ now })).toMatchObject({
      annotations: { [PAUSED]: '', mine: 'a' },
      labels: { app: 'herd' },
      warnings: [
        `left out metadata.annotations[${CLASS}], metadata.annotations[${CONFIRMED}], metadata.labels[${PAUSED}]: notes of the controller about the Machine that this was saved from`,
      ],
    });
  });

  test('keeps them for who may override, as a restore does (hack/decisions/0040)', async () => {
    const { annotations, warnings } = await written({ now: machine(notes), user: OPERATOR });
    expect([annotations, warnings]).toEqual([notes, undefined]);
  });

  test('keeps them where nobody can tell who may, for the rules to say so', async () => {
    const { annotations } = await written({ now: machine(notes) }, () => Promise.reject(new Error('away')));
    expect(annotations).toEqual(notes);
  });

  test.each<[string, Asked]>([
    ['that others gave a meaning', { now: machine({ 'protected.drover.dev/paused': '', mine: 'a' }) }],
    ['of a machine that is there', { now: machine(notes), before: machine({}) }],
    ['of another kind', { now: machine(notes, {}, 'MachineSet') }],
  ])('leaves what stands %s to the rules', async (_what, asked) => {
    expect((await written(asked)).annotations).toEqual(asked.now?.metadata.annotations);
  });
});
