import { describe, expect, test } from 'bun:test';
import { importsLint } from './imports.ts';
import { trial } from './trial.ts';

const lint = trial(importsLint);

describe('allowed', () => {
  test.each([
    ['schemas/machine.ts', "import * as v from 'valibot';"],
    ['schemas/rules/machine.ts', "import { x } from '../machine.ts';"],
    ['schemas/config.ts', "import { isIP } from 'node:net';"],
    ['controller/runtime/queue.ts', "import { heap } from './heap.ts';"],
    ['controller/runtime/serve.ts', "import { Hono } from 'hono';"],
    ['controller/runtime/typed.ts', "const k = await import('@kubernetes/client-node');"],
    ['controller/runtime/typed.ts', "import type { KubeConfig } from '@kubernetes/client-node';"],
    ['controller/flow.ts', "import type { Clock } from './runtime/clock.ts';"],
    ['controller/flow.ts', "import { keyOf } from './runtime/object.ts';"],
    ['controller/machine/reconcile.ts', "import { act } from '../flow.ts';"],
    ['controller/machine/reconcile.ts', "import type { MachineView } from './view.ts';"],
    ['controller/machine/apply.ts', "import { Api } from '../runtime/api.ts';"],
    ['controller/machine/apply.ts', "import { plan } from './reconcile.ts';"],
    ['controller/drivers/virtual/driver.ts', "import { cloud } from './cloud.ts';"],
    ['controller/drivers/virtual/driver.ts', "import { Cache } from '../../runtime/cache.ts';"],
    ['controller/drivers/index.ts', "import { virtual } from './virtual/driver.ts';"],
    ['controller/caches.ts', "import { secretKeysOf } from './machine/observe.ts';"],
    ['controller/machine/apply.ts', "import { mergeStatus } from '../writes.ts';"],
    ['controller/machine/view.fixture.ts', "import { machine } from '../../test/fixtures/objects.ts';"],
    ['controller/runtime/release.ts', "import { version } from '../../package.json';"],
    ['webhook/server.ts', "import { Hono } from 'hono/tiny';"],
    ['webhook/main.ts', "import { systemClock } from '../controller/runtime/clock.ts';"],
    ['webhook/rules.test.ts', "import { anything } from '../controller/machine/apply.ts';"],
    ['hack/generate.ts', "import { access } from '../controller/access.ts';"],
    ['test/api/watch.test.ts', "import { Api } from '../../controller/runtime/api.ts';"],
  ])('%s: %s', async (path, text) => {
    expect(await lint(path, text)).toEqual([]);
  });
});

describe('refused', () => {
  test.each([
    ['schemas/machine.ts', "import { pass } from '../controller/flow.ts';", 'schemas may not import parts'],
    ['schemas/machine.ts', "import Ajv from 'ajv';", 'schemas may not import the package ajv'],
    ['controller/runtime/loop.ts', "import { pass } from '../flow.ts';", 'runtime may not import parts'],
    [
      'controller/runtime/loop.ts',
      "import type { M } from '../../schemas/machine.ts';",
      'runtime may not import schemas',
    ],
    ['controller/runtime/loop.ts', "import { Hono } from 'hono';", 'runtime may not import the package hono'],
    [
      'controller/runtime/typed.ts',
      "import { KubeConfig } from '@kubernetes/client-node';",
      'runtime may not import the package @kubernetes/client-node but when it is needed, by await import',
    ],
    [
      'controller/runtime/api.ts',
      "const k = import('@kubernetes/client-node');",
      'runtime may not import the package @kubernetes/client-node but as types',
    ],
    ['controller/runtime/object.ts', "import { Cache } from './cache.ts';", 'shapes may not import runtime'],
    ['controller/flow.ts', "import { systemClock } from './runtime/clock.ts';", 'parts may not import runtime'],
    [
      'controller/machine/reconcile.ts',
      "import type { C } from '../runtime/clock.ts';",
      'decisions may not import runtime',
    ],
    ['controller/machine/reconcile.ts', "export * from '../machineset/view.ts';", 'decisions may not import decisions'],
    ['controller/machine/apply.ts', "import { x } from '../machineset/apply.ts';", 'effects may not import effects'],
    ['controller/machine/apply.ts', "import { v } from '../drivers/index.ts';", 'effects may not import drivers'],
    [
      'controller/drivers/qemu/driver.ts',
      "import { v } from '../virtual/driver.ts';",
      'drivers may not import drivers',
    ],
    [
      'controller/drivers/qemu/driver.ts',
      "import { p } from '../../machine/view.ts';",
      'drivers may not import decisions',
    ],
    ['controller/machine/status.ts', "import { mergeStatus } from '../writes.ts';", 'decisions may not import writes'],
    ['controller/machine/status.ts', "import { view } from './view.fixture.ts';", 'decisions may not import tests'],
    ['webhook/server.ts', "import { pass } from '../controller/flow.ts';", 'webhook may not import parts'],
    [
      'webhook/server.ts',
      "import { plan } from '../controller/machine/reconcile.ts';",
      'webhook may not import decisions',
    ],
    ['controller/main.ts', "import { app } from '../webhook/server.ts';", 'assembly may not import webhook'],
    ['controller/runtime/loop.ts', "import { FakeClock } from './clock.fake.ts';", 'runtime may not import tests'],
    ['schemas/machine.ts', "import { x } from './common';", "'./common' needs its ending .ts"],
    ['strange/file.ts', "import { x } from './other.ts';", "'./other.ts' belongs to no zone of hack/check/zones.ts"],
  ])('%s: %s', async (path, text, says) => {
    const found = await lint(path, text);
    expect(found).toHaveLength(1);
    expect(found[0]).toStartWith(`1: ${says}`);
  });
});

test('a finding names the line, the import and the reason', async () => {
  expect(await lint('controller/machine/view.ts', "\n\nimport { Queue } from '../runtime/queue.ts';")).toEqual([
    "3: decisions may not import runtime ('../runtime/queue.ts'): decisions are pure and import no machinery; what two kinds need stands beside them, in controller/",
  ]);
});
