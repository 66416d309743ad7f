import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { webhookApp } from '../../test/admission/app.ts';
import { type Asked, answerTo } from '../../test/admission/review.ts';
import type { PatchOperation } from './fieldpath.ts';

const labels = { app: 'herd' };
const template = { metadata: { labels } };
const selector = { matchLabels: labels };

const object = (kind: string, spec: unknown, own: object = {}) =>
  ({ apiVersion, kind, metadata: { name: 'herd', labels: own }, spec }) as unknown as KubeObject;
const set = (spec: unknown, own?: object) => object('MachineSet', spec, own);
const deployment = (spec: unknown, own?: object) => object('MachineDeployment', spec, own);

/** The patch that the webhook answers with, decoded; to nobody known, so that nothing is said of who made the object. */
async function patchOf(asked: Asked): Promise<PatchOperation[]> {
  const { app } = webhookApp();
  const { allowed, patch = '', patchType } = await answerTo(app, '/mutate', { user: { username: '' }, ...asked });
  expect(allowed).toBe(true);
  expect(patchType).toBe(patch ? 'JSONPatch' : undefined);
  return patch ? JSON.parse(Buffer.from(patch, 'base64').toString()) : [];
}

const replicas = (value: number): PatchOperation => ({ op: 'add', path: '/spec/replicas', value });

describe('replicas', () => {
  const [bare, five] = [deployment({ selector, template }), deployment({ selector, template, replicas: 5 })];
  test.each<[string, Asked, PatchOperation[]]>([
    ['are 0 on creation', { now: bare }, [replicas(0)]],
    ['are 0 when an apply creates', { now: bare, fieldManager: 'kubectl' }, [replicas(0)]],
    ['are 0 when null', { now: deployment({ selector, template, replicas: null }) }, [replicas(0)]],
    ['are 0 after a PUT by a typed client', { now: bare, before: five }, [replicas(0)]],
    ['are 0 after kubectl replace', { now: bare, before: five, fieldManager: 'kubectl-replace' }, [replicas(0)]],
    ['stay after an apply', { now: bare, before: five, fieldManager: 'kubectl-client-side-apply' }, [replicas(5)]],
    [
      'are 0 after an apply to an object that had none',
      { now: bare, before: bare, fieldManager: 'flux' },
      [replicas(0)],
    ],
    ['stay as they are said', { now: five, before: bare }, []],
    ['stay 0', { now: deployment({ selector, template, replicas: 0 }), before: five }, []],
    ['bring their parent', { now: set(undefined) }, [{ op: 'add', path: '/spec', value: { replicas: 0 } }]],
    ['are not put into what is no object', { now: set('mistaken') }, []],
  ])('%s', async (_what, asked, patch) => {
    expect(await patchOf(asked)).toEqual(patch);
  });
});

describe('a strategy that is named without its block', () => {
  const rolling = { op: 'add', path: '/spec/strategy/rollingUpdate', value: { maxSurge: 1, maxUnavailable: 0 } };
  const inPlace = {
    op: 'add',
    path: '/spec/strategy/inPlaceUpdate',
    value: { maxSurge: 1, maxUnavailable: 0, orchestrationType: 'Auto' },
  };
  test.each<[string, object, object[]]>([
    ['RollingUpdate gets it', { type: 'RollingUpdate' }, [rolling]],
    ['InPlaceUpdate gets it', { type: 'InPlaceUpdate' }, [inPlace]],
    ['Recreate has none', { type: 'Recreate' }, []],
    ['one that has it is left alone', { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3 } }, []],
  ])('%s', async (_what, strategy, patch) => {
    expect<object>(await patchOf({ now: deployment({ replicas: 1, selector, template, strategy }) })).toEqual(patch);
  });
});

describe("a set's selector", () => {
  const added = { op: 'add', path: '/spec/selector', value: { matchLabels: labels } };
  test.each<[string, Asked, object[]]>([
    ["becomes the template's labels", { now: set({ replicas: 1, template }) }, [added]],
    ['is not made from a template without labels', { now: set({ replicas: 1, template: {} }) }, []],
    ['stays as it is', { now: set({ replicas: 1, template, selector: {} }) }, []],
    ['cannot be dropped', { now: set({ replicas: 1, template }), before: set({ selector }) }, []],
    ['may come late', { now: set({ replicas: 1, template }), before: set({}) }, [added]],
  ])('%s', async (_what, asked, patch) => {
    expect<object>(await patchOf(asked)).toEqual(patch);
  });

  test('of a deployment is not made up', async () => {
    expect(await patchOf({ now: deployment({ replicas: 1, template }) })).toEqual([]);
  });
});

// hack/decisions/0051 U1
describe('the Cluster is told to an autoscaler', () => {
  const path = '/metadata/labels/machine.sapcloud.io~1cluster-name';
  const told = (own: object) => ({ [LABEL_CLUSTER]: 'west', ...own });
  const machine = (own: object) => object('Machine', {}, own);
  test.each<[string, Asked, object[]]>([
    ['by a label', { now: machine(told({})) }, [{ op: 'add', path, value: 'west' }]],
    ['that is there already', { now: machine(told({ 'machine.sapcloud.io/cluster-name': 'west' })) }, []],
    [
      'whatever stood there',
      { now: machine(told({ 'machine.sapcloud.io/cluster-name': 'other' })) },
      [{ op: 'add', path, value: 'west' }],
    ],
    ['unless there is none', { now: machine({ 'machine.sapcloud.io/cluster-name': 'mine' }) }, []],
  ])('%s', async (_what, asked, patch) => {
    expect<object>(await patchOf(asked)).toEqual(patch);
  });
});

describe('the Cluster goes into the template', () => {
  const own = { [LABEL_CLUSTER]: 'west', 'machine.sapcloud.io/cluster-name': 'west' };
  const path = '/spec/template/metadata/labels/cluster.k8s.io~1cluster-name';
  test.each<[string, Asked, object[]]>([
    ['among its labels', { now: deployment({ replicas: 1, template }, own) }, [{ op: 'add', path, value: 'west' }]],
    [
      'with parents that are missing',
      { now: deployment({ replicas: 1, template: {} }, own) },
      [{ op: 'add', path: '/spec/template/metadata', value: { labels: { [LABEL_CLUSTER]: 'west' } } }],
    ],
    ['unless it is there', { now: deployment({ replicas: 1, template: { metadata: { labels: own } } }, own) }, []],
    ['unless it is empty', { now: deployment({ replicas: 1, template }, { [LABEL_CLUSTER]: '' }) }, []],
  ])('%s', async (_what, asked, patch) => {
    expect<object>(await patchOf(asked)).toEqual(patch);
  });
});

describe('a restart', () => {
  const machine = (nextRestartTime?: string) => object('Machine', { nextRestartTime });
  const at = (value: string) => [{ op: 'add', path: '/spec/nextRestartTime', value }];
  test.each<[string, Asked, object[]]>([
    [
      '"now" is at the moment of admission',
      { now: machine('now'), before: machine() },
      at('2026-01-01T00:00:00.000000Z'),
    ],
    ['at a moment stays there', { now: machine('2026-02-01T00:00:00Z'), before: machine() }, []],
    ['that nobody asks for is none', { now: machine(), before: machine() }, []],
  ])('%s', async (_what, asked, patch) => {
    expect<object>(await patchOf(asked)).toEqual(patch);
  });
});
