import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../case.ts';
import { pool, virtualClass } from '../herd.ts';
import { expectSays, expectThat } from '../said.ts';
import type { Manifest, Scene, Seen } from '../scene.ts';

const MISTAKES = 'schemas/examples/mistakes';
const CLUSTER_NAME = 'cluster.k8s.io/cluster-name';

/** A deployment without machines, changed a little. */
const empty = (spec: object = {}): Manifest => pool(0, 'quiet', spec);

/** What could only fail later. */
export const refusals: Case = {
  name: 'refusals',
  shows: 'what cannot work is refused at kubectl apply with a sentence, and what is left out is filled in',
  needs: { release: 'shared' },
  async run(scene) {
    await scene.apply(virtualClass(), virtualClass('herd'));
    await expectSelector(scene);
    await expectDefaults(scene);
    await expectClusterLabel(scene);
    await expectMistakes(scene);
  },
};

async function expectSelector(scene: Scene): Promise<void> {
  const said = await scene.refused(empty({ selector: { matchLabels: { pool: 'other' } } }));
  expectSays(said, 'The MachineDeployment "quiet" is invalid: spec.selector: must match spec.template.metadata.labels');
}

/** A deployment as far as defaults are looked at. */
interface Completed extends Seen {
  spec: { template: { spec: { deletionPolicy?: string } } };
}

/** A default of the schema, and what the webhook writes. */
async function expectDefaults(scene: Scene): Promise<void> {
  await scene.apply(empty());
  const { spec, metadata } = await scene.get<Completed>('mcd', 'quiet');
  const { deletionPolicy } = spec.template.spec;
  expectThat(deletionPolicy === 'Delete', `the default of deletionPolicy is ${deletionPolicy}, not Delete`);
  expectThat(metadata.annotations?.['drover.dev/created-by'] !== undefined, 'the webhook did not write who made it');
}

async function expectClusterLabel(scene: Scene): Promise<void> {
  const spec = { kubeconfigSecretRef: { name: 'west' } };
  await scene.apply({ apiVersion: 'drover.dev/v1alpha1', kind: 'Cluster', metadata: { name: 'west' }, spec });
  const labelled = empty();
  await scene.apply({ ...labelled, metadata: { name: 'western', labels: { [CLUSTER_NAME]: 'west' } } });
  const said = await scene.refusedCommand('label', 'mcd', 'western', `${CLUSTER_NAME}=east`, '--overwrite');
  expectSays(said, 'is set once: it can neither be changed nor removed, because');
}

async function expectMistakes(scene: Scene): Promise<void> {
  const folder = join(scene.surroundings.root, MISTAKES);
  for (const file of readdirSync(folder)) {
    const said = await scene.refusedCommand('apply', '-f', join(folder, file));
    expectThat(said.split('\n').length === 1, `${file} is not refused in one sentence: ${said}`);
  }
}
