import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { webhookApp } from '../../test/admission/app.ts';
import { type Asked, answerTo, reviewOf } from '../../test/admission/review.ts';
import { keptWarnings } from './compatibility.ts';
import type { Answer } from './response.ts';

const object = (kind: string, spec: object, status?: object) =>
  ({
    apiVersion,
    kind,
    metadata: { name: 'one' },
    spec,
    ...(status ? { status } : {}),
  }) as unknown as KubeObject;
const machine = (spec: object, status?: object) => object('Machine', { class: { name: 'small' }, ...spec }, status);

/** What the API server puts into every spec by itself. */
const served = { deletionPolicy: 'Delete', powerOffMode: 'TrySoft', suspendMode: 'TrySoft', restartMode: 'TrySoft' };

/** The patch and the warnings that come back, each operation as `path=value`. */
async function kept(asked: Asked): Promise<{ patch: string[]; warnings: string[] }> {
  const { patch = '', warnings = [] } = await answerTo(webhookApp().app, '/mutate', asked);
  const operations: Array<{ path: string; value: unknown }> = patch ? JSON.parse(atob(patch)) : [];
  return { patch: operations.map(({ path, value }) => `${path}=${JSON.stringify(value)}`), warnings };
}

describe('a client that does not know a field loses none of it', () => {
  const powered = machine({ ...served, powerState: 'PoweredOff', network: { disabled: true } });
  const retained = machine({ ...served, deletionPolicy: 'Retain', powerOffMode: 'Hard' });
  const both = ['/spec/powerState="PoweredOff"', '/spec/network={"disabled":true}'];
  const dropped = machine(served);

  test.each<[string, Asked, string[]]>([
    ['by a PUT', { before: powered, now: dropped }, both],
    ['by kubectl replace', { before: powered, now: dropped, fieldManager: 'kubectl-replace' }, both],
    ['by null', { before: powered, now: machine({ ...served, powerState: null, network: null }) }, both],
    [
      'that the API server filled in again',
      { before: retained, now: dropped },
      ['/spec/deletionPolicy="Retain"', '/spec/powerOffMode="Hard"'],
    ],
    [
      'when the whole spec is gone',
      { before: powered, now: { apiVersion, kind: 'Machine', metadata: { name: 'one' } } },
      ['/spec={"powerState":"PoweredOff"}', '/spec/network={"disabled":true}'],
    ],
    [
      'while the object is being deleted',
      {
        before: { ...retained, metadata: { name: 'one', deletionTimestamp: '2026-01-01T00:00:00Z' } },
        now: { ...dropped, metadata: { name: 'one', deletionTimestamp: '2026-01-01T00:00:00Z' } },
      },
      ['/spec/deletionPolicy="Retain"', '/spec/powerOffMode="Hard"'],
    ],
  ])('%s', async (_what, asked, patch) => {
    expect((await kept(asked)).patch).toEqual(patch);
  });

  test.each(['MachineSet', 'MachineDeployment'])('in the template of a %s', async (kind) => {
    const templated = (spec: object) => object(kind, { replicas: 1, selector: {}, template: { spec } });
    const asked = { before: templated({ ...served, promoteDisksMode: 'Online' }), now: templated(served) };
    expect((await kept(asked)).patch).toEqual(['/spec/template/spec/promoteDisksMode="Online"']);
  });

  test('and is told', async () => {
    expect((await kept({ before: powered, now: dropped })).warnings).toEqual([
      'kept spec.powerState, spec.network: the request left this out as clients do that do not know it; to remove it, use kubectl patch or kubectl apply',
    ]);
  });
});

describe('whoever knows a field decides', () => {
  const before = machine({ ...served, deletionPolicy: 'Retain', powerState: 'PoweredOn', taints: [{ key: 'a' }] });
  const known = { ...served, deletionPolicy: 'Retain', powerState: 'PoweredOn' };
  test.each<[string, Asked]>([
    ['by another value', { before, now: machine({ ...known, powerState: 'PoweredOff', taints: [] }) }],
    ['by an empty one', { before, now: machine({ ...known, taints: [] }) }],
    ['by a default beside another value', { before, now: machine({ ...served, powerState: 'PoweredOn', taints: [] }) }],
    ['by an apply or a PATCH', { before, now: machine(served), fieldManager: 'kubectl' }],
    ['by a new field', { before: machine(served), now: machine({ ...served, powerState: 'PoweredOn' }) }],
  ])('%s', async (_what, asked) => {
    expect(await kept(asked)).toEqual({ patch: [], warnings: [] });
  });

  test('one field left out of several that are sent is put back all the same', async () => {
    expect((await kept({ before, now: machine(known) })).patch).toEqual(['/spec/taints=[{"key":"a"}]']);
  });
});

test("a field of MCM's own that is left out is gone", async () => {
  const before = machine({ ...served, providerID: 'a', drainTimeout: '5m', nodeTemplate: {} });
  expect(await kept({ before, now: machine(served) })).toEqual({ patch: [], warnings: [] });
});

describe('the status', () => {
  const before = machine(
    { powerState: 'PoweredOn' },
    { currentStatus: { phase: 'Running' }, nodeRef: { name: 'n' }, deletion: { startedAt: '2026-01-01T00:00:00Z' } },
  );
  const terminating = machine({}, { currentStatus: { phase: 'Terminating' } });

  test('is put back where it is written, and the spec is not', async () => {
    expect((await kept({ before, now: terminating, subResource: 'status' })).patch).toEqual([
      '/status/nodeRef={"name":"n"}',
      '/status/deletion={"startedAt":"2026-01-01T00:00:00Z"}',
    ]);
  });

  test('is left alone where it is not written, since the API server ignores it there', async () => {
    const now = machine({ powerState: 'PoweredOn' });
    expect((await kept({ before, now })).patch).toEqual([]);
  });

  test('may be cleared by a PATCH', async () => {
    const asked = { before, now: terminating, subResource: 'status', fieldManager: 'drover-controller' };
    expect(await kept(asked)).toEqual({ patch: [], warnings: [] });
  });
});

test('a warning is never so long that the API server would cut it', () => {
  const fields = Array.from({ length: 30 }, (_, index) => `spec.template.spec.field-${index}`);
  const warnings = keptWarnings(fields);
  expect(Math.max(...warnings.map((warning) => warning.length))).toBeLessThanOrEqual(256);
  expect(warnings.join().match(/field-\d+/g)).toHaveLength(30);
});

// hack/decisions/0028 W13: JavaScript reads 9007199254740993 as 9007199254740992, which the API server would store.
describe('a number that JavaScript has not', () => {
  const inline = (providerSpec?: object) =>
    machine({ ...served, class: {}, provider: 'aws', ...(providerSpec && { providerSpec }) });
  const exact = ['9007199254740991', '-9007199254740991', '0.1', '1e300', '18446744073709551616000'];
  const rounded = ['9007199254740993', '-9223372036854775808', '9223372036854775807'];

  /** The answer to a PUT without the providerSpec, which holds this number, as text. */
  async function answer(number: string, more: object = {}) {
    const asked: Asked = { before: inline({ disks: [{ size: 'N' }] }), now: inline(), ...more };
    const body = JSON.stringify(reviewOf(asked)).replace('"N"', number);
    const response = await webhookApp().app.request('/mutate', { method: 'POST', body });
    return ((await response.json()) as { response: Answer }).response;
  }

  test.each(exact)('%s is put back as it was', async (number) => {
    const { patch = '' } = await answer(number);
    expect(JSON.parse(atob(patch))).toContainEqual({
      op: 'add',
      path: '/spec/providerSpec',
      value: { disks: [{ size: Number(number) }] },
    });
  });

  test.each(rounded)('%s is not put back rounded: the request is refused', async (number) => {
    expect(await answer(number)).toMatchObject({
      allowed: false,
      status: {
        code: 400,
        message: expect.stringContaining('leaves out spec.providerSpec, which holds a whole number'),
      },
    });
  });

  test('is the affair of who sends it', async () => {
    expect((await answer('9007199254740993', { fieldManager: 'kubectl-patch' })).allowed).toBe(true);
  });
});
