import { expect, test } from 'bun:test';
import { join } from 'node:path';
import * as keys from '../../schemas/keys.ts';
import { asks, change, seen } from './flow/nodesync.fixture.ts';

/** Keys in files that write on Nodes which a nodeTemplate may say all the same. */
const FREE: Readonly<Record<string, string>> = {
  ANNOTATION_APPLIED_SPEC: 'on Machines',
  ANNOTATION_PRESERVE_APPLIED: 'on Machines',
  ANNOTATION_PRIORITY: 'on Machines',
  ANNOTATION_UPDATE_UNFINISHED: 'on Machines',
  LABEL_NODE: 'on Machines',
  ANNOTATION_DESIRED: 'on sets',
  ANNOTATION_MAX: 'on sets',
  ANNOTATION_PREFER_NO_SCHEDULE: 'on sets, and the key of a taint',
  ANNOTATION_SCALE_DOWN_DISABLED: 'a template may set it; not while Drover does (hack/spec/mcm.md 2.2)',
};

/** What the files of the controller that plan changes of Nodes write, by the names of the constants. */
async function written(): Promise<string[]> {
  const folder = join(import.meta.dir, '..');
  const names = new Set<string>();
  for await (const file of new Bun.Glob('**/*.ts').scan(folder)) {
    if (/\.(?:test|fixture)\.ts$/.test(file)) continue;
    const text = await Bun.file(join(folder, file)).text();
    if (!/import .*\bNodeChange\b|recordingOwner = /.test(text)) continue;
    for (const [, name = ''] of text.matchAll(/\[((?:ANNOTATION|LABEL)_[A-Z_]+)\]:/g)) names.add(name);
  }
  return [...names].filter((name) => !Object.hasOwn(FREE, name)).sort();
}

const all: Readonly<Record<string, unknown>> = keys;

// hack/decisions/0028 T63
test('a nodeTemplate says nothing that the controller itself writes on Nodes as things happen', async () => {
  const names = await written();
  expect(names).toContain('ANNOTATION_UPDATE_FOR');
  expect(names).toContain('LABEL_SELECTED');
  expect(names).toContain('ANNOTATION_NODE_MACHINE');
  const asked = Object.fromEntries(names.map((name) => [String(all[name]), 'of a template']));
  const wanted = change(seen({ template: asks(asked, asked) }));
  const said = Object.entries({ ...wanted?.labels, ...wanted?.annotations });
  expect(said.filter(([, value]) => value === 'of a template')).toEqual([]);
});
