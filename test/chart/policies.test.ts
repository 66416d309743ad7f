import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import type { KubeObject } from '../../controller/runtime/object.ts';
import { readFolder } from '../../hack/controlplane/manifests.ts';
import { CHART, render, type Values } from './helm.ts';

const FOLDER = `${CHART}/files/policies`;
const EVERYBODYS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.replace('.yaml', ''));

interface Binding extends KubeObject {
  spec: { policyName: string };
}

const policiesIn = (objects: readonly KubeObject[]) =>
  objects.filter(({ kind }) => kind?.startsWith('ValidatingAdmissionPolicy'));

const namesOf = async (set: Values = {}) =>
  policiesIn(await render({ set })).flatMap(({ kind, metadata }) => (kind?.endsWith('Policy') ? [metadata.name] : []));

describe('the policies', () => {
  test('are those that are generated, with the names of the release', async () => {
    const objects = policiesIn(await render({ release: 'west' }));
    const generated = await readFolder(FOLDER);
    for (const { kind, metadata, ...rest } of generated) {
      const name = metadata.name.replace('drover-', 'west-drover-');
      const made = objects.find((one) => one.kind === kind && one.metadata.name === name);
      const { policyName } = (rest as Binding).spec;
      expect(made).toMatchObject(
        policyName ? { spec: { policyName: name, validationActions: ['Deny'] } } : { ...rest },
      );
    }
    expect(objects.length).toBeGreaterThanOrEqual(generated.length);
  });

  test.each<[string, Values, readonly string[]]>([
    ['stand where the kinds and the webhook are', {}, EVERYBODYS],
    ['stand where the kinds come from elsewhere', { 'crds.enabled': false }, EVERYBODYS],
    ['stand where no webhook is', { 'webhook.enabled': false }, EVERYBODYS],
    ['are with the first release of two', { 'webhook.enabled': false, 'crds.enabled': false }, []],
    ['can be left out', { 'policies.enabled': false }, []],
    ['are not for a cluster without Machines', { 'rbac.targetOnly': true }, []],
  ])('about our kinds %s', async (_title, set, ids) => {
    const names = await namesOf(set);
    expect(new Set(names.filter((name) => name.startsWith('drover-')))).toEqual(
      new Set(ids.map((id) => `drover-${id}`)),
    );
  });
});
