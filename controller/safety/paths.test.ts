import { describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { effects as machine } from '../machine/flow/gating.ts';
import { effects as deployment } from '../machinedeployment/flow/view.ts';
import { effects as set } from '../machineset/flow/view.ts';

/** What takes something away at an API server or a driver. */
const TAKING =
  /\b(?:api\.delete|deleteObject|deleteOwned|deleteUnseen|letGo|deleteNode|deletePod|evictPod|deleteCollection)\(|\.deleteMachine\(|\bcreate\(evictions\b|\bremoveNode\(/;

/** The words that all others are made of; who calls one of them is looked at. */
const WORDS = new Set(['framework/writer.ts', 'nodes/write.ts', 'state/childwrites.ts']);

/**
 * Every place that takes something away, by file, and what lets it through: actions that `destroys`, the gate that a
 * sweep looks at itself, or why it needs none.
 */
const PATHS: Readonly<Record<string, string>> = {
  'machine/actions.ts': 'machine: deleteMachine deleteNode deleteAttachments removeFinalizer',
  'machine/calls/requests.ts': 'machine: call',
  'drain/evictions.ts': 'machine: drain',
  'machineset/actions.ts': 'set: delete removeFinalizer',
  'machinedeployment/actions.ts': 'deployment: deleteSets removeFinalizer',
  'safety/orphans/vmdeletion.ts': 'gate: safety/orphans/flow/plan.ts',
  'safety/orphans/nodesweep.ts': 'gate: safety/orphans/vmsweep.ts',
  'machine/bootstrap/tokens.ts': 'free: a token of a Machine that is gone, or has joined, lets nobody in any more',
};

const TABLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { machine, set, deployment };

async function sources(): Promise<Map<string, string>> {
  const root = `${import.meta.dir}/..`;
  const paths = [...new Glob('**/*.ts').scanSync(root)].filter(
    (path) => !/\.(test|fixture|fake)\.ts$|^runtime\/|^drivers\//.test(path),
  );
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await Bun.file(`${root}/${path}`).text()] as const)),
  );
}

describe('hack/spec/mcm.md 13.2: every path that takes something away passes the gate', () => {
  test('and is known', async () => {
    const found = [...(await sources())].filter(([path, text]) => TAKING.test(text) && !WORDS.has(path));
    expect(found.map(([path]) => path).sort()).toEqual(Object.keys(PATHS).sort());
  });

  const [byAction, byGate] = ['action', 'gate'].map((kind) =>
    Object.entries(PATHS).filter(([, how]) => !how.startsWith('free') && how.startsWith('gate') === (kind === 'gate')),
  );

  test.each(byAction ?? [])('%s: %s', (_path, how) => {
    const [kind = '', actions = ''] = how.split(': ');
    for (const action of actions.split(' ')) {
      const effect = TABLES[kind]?.[action];
      const destroys = typeof effect === 'function' ? effect({ method: 'deleteMachine' }) : effect;
      expect([action, destroys]).toEqual([action, 'destroys']);
    }
  });

  test.each(byGate ?? [])('%s: %s', async (_path, how) => {
    expect((await sources()).get(how.slice('gate: '.length))).toMatch(/\bshut\b/);
  });
});
