import { describe, expect, test } from 'bun:test';
import { importsLint } from './imports.ts';
import { rooms } from './rooms.ts';
import { trial } from './trial.ts';

const lint = trial(importsLint);

describe('allowed', () => {
  test.each([
    ['schemas/machine.ts', "import * as v from 'valibot';"],
    ['schemas/rules/machine.ts', "import { x } from '../machine.ts';"],
    ['schemas/config.ts', "import { isIP } from 'node:net';"],
    ['controller/runtime/queue/queue.ts', "import { slots } from '../fairness/slots.ts';"],
    ['controller/runtime/watch/cache.ts', "import { isSame } from '../../../schemas/same.ts';"],
    ['controller/runtime/observability/server.ts', "import { Hono } from 'hono';"],
    ['controller/runtime/client/typed.ts', "const k = await import('@kubernetes/client-node');"],
    ['controller/runtime/client/typed.ts', "import type { KubeConfig } from '@kubernetes/client-node';"],
    ['controller/flow/flow.ts', "import type { Clock } from '../runtime/clock.ts';"],
    ['controller/flow/flow.ts', "import { keyOf } from '../runtime/k8s/object.ts';"],
    ['controller/machine/flow/flow.ts', "import { act } from '../../flow/flow.ts';"],
    ['controller/machine/flow/flow.ts', "import type { MachineView } from './view.ts';"],
    ['controller/machine/flow/flow.ts', "import type { C } from '../../runtime/clock.ts';"],
    ['controller/machine/actions.ts', "import { Api } from '../runtime/client/api.ts';"],
    ['controller/machine/actions.ts', "import { plan } from './flow/flow.ts';"],
    ['controller/machine/actions.ts', "import { mergeStatus } from '../framework/writer.ts';"],
    ['controller/drivers/virtual/driver.ts', "import { Cache } from '../../runtime/watch/cache.ts';"],
    ['controller/drivers/index.ts', "import { virtual } from './virtual/driver.ts';"],
    ['controller/machine/flow/view.fixture.ts', "import { machine } from '../../../test/fixtures/objects.ts';"],
    ['controller/runtime/release.ts', "import { version } from '../../package.json';"],
    ['webhook/server/server.ts', "import { Hono } from 'hono/tiny';"],
    ['webhook/main.ts', "import { systemClock } from '../controller/runtime/clock.ts';"],
    ['webhook/admission/rule.test.ts', "import { anything } from '../../controller/machine/actions.ts';"],
    ['hack/commands/generate.ts', "import { access } from '../controller/manager/rbac.ts';"],
    ['test/api/watch.test.ts', "import { Api } from '../../controller/runtime/client/api.ts';"],
  ])('%s: %s', async (path, text) => {
    expect(await lint(path, text)).toEqual([]);
  });
});

describe('refused', () => {
  test.each([
    ['schemas/machine.ts', "import { pass } from '../controller/flow/flow.ts';", 'controller/flow is above it'],
    ['schemas/machine.ts', "import { keyOf } from '../controller/runtime/k8s/object.ts';", 'it sees nothing of that'],
    ['schemas/machine.ts', "import Ajv from 'ajv';", 'may not import the package ajv'],
    ['schemas/same.ts', "import { x } from '../controller/runtime/k8s/object.ts';", 'is above it'],
    ['controller/runtime/queue/loop.ts', "import { pass } from '../../flow/flow.ts';", 'controller/flow is above it'],
    [
      'controller/runtime/queue/loop.ts',
      "import type { M } from '../../../schemas/machine.ts';",
      'schemas is above it',
    ],
    ['controller/runtime/queue/loop.ts', "import { Hono } from 'hono';", 'may not import the package hono'],
    [
      'controller/runtime/client/typed.ts',
      "import { KubeConfig } from '@kubernetes/client-node';",
      'may not import the package @kubernetes/client-node but when it is needed, by await import',
    ],
    [
      'controller/runtime/client/api.ts',
      "const k = import('@kubernetes/client-node');",
      'may not import the package @kubernetes/client-node but as types',
    ],
    [
      'controller/runtime/k8s/object.ts',
      "import { Cache } from '../watch/cache.ts';",
      'controller/runtime/watch is above it',
    ],
    [
      'controller/flow/flow.ts',
      "import { systemClock } from '../runtime/clock.ts';",
      'but as types: decisions are pure',
    ],
    [
      'controller/machine/flow/flow.ts',
      "export * from '../../machineset/flow/view.ts';",
      'controller/machineset/flow is above it',
    ],
    ['controller/machineset/flow/flow.ts', "import { x } from '../../machine/flow/view.ts';", 'no kind knows another'],
    ['controller/machine/flow/flow.ts', "import type { A } from '../actions.ts';", 'controller/machine is above it'],
    [
      'controller/machine/flow/flow.ts',
      "import { x } from '../../targets/pool.ts';",
      'but as types: decisions are pure',
    ],
    [
      'controller/drivers/virtual/driver.ts',
      "import { p } from '../../machine/flow/view.ts';",
      'controller/machine/flow is above it',
    ],
    [
      'controller/machine/status/status.ts',
      "import { view } from '../flow/view.fixture.ts';",
      'code that is run may not import tests',
    ],
    [
      'webhook/server/server.ts',
      "import { pass } from '../../controller/flow/flow.ts';",
      'it sees nothing of that program',
    ],
    ['controller/main.ts', "import { app } from '../webhook/server/server.ts';", 'webhook/server is above it'],
    ['strange/file.ts', "import { x } from './other.ts';", 'strange/file.ts is in no room of hack/check/rooms.ts'],
  ])('%s: %s', async (path, text, message) => {
    const found = await lint(path, text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });
});

test('a finding names the line, the import and the reason', async () => {
  expect(
    await lint('controller/machine/flow/view.ts', "\n\nimport { Queue } from '../../runtime/queue/queue.ts';"),
  ).toEqual([
    "3: controller/machine/flow may not import '../../runtime/queue/queue.ts' but as types: decisions are pure",
  ]);
});

test('each room is there once', () => {
  const folders = rooms.map(({ folder }) => folder);
  expect(new Set(folders).size).toBe(folders.length);
});
