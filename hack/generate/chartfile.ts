import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import packageFile from '../../package.json';
import { crdName } from '../../schemas/crd.ts';
import { version } from '../../schemas/kind.ts';
import { kinds } from '../../schemas/kinds.ts';
import { changesOf } from './changes.ts';
import type { Generated } from './generated.ts';
import { yamlDocument, yamlFile } from './yaml.ts';

const ROOT = join(import.meta.dir, '../..');

/** Examples that show each kind that people make. */
const EXAMPLES = ['herd.yaml', 'cluster.yaml', 'lone.yaml', 'machineset.yaml'];

/** charts/drover/Chart.yaml: the versions of the package, and what Artifact Hub shows of the chart. */
export const chartFile = (): Generated[] => [
  {
    path: 'charts/drover/Chart.yaml',
    content: yamlFile('package.json, schemas/ and CHANGELOG.md', [
      yamlDocument({
        apiVersion: 'v2',
        name: packageFile.name,
        description: packageFile.description,
        type: 'application',
        version: packageFile.version,
        appVersion: packageFile.version,
        // Validation ratcheting of CRDs, which the rules rely on, is switched on from this version.
        kubeVersion: '>=1.30.0-0',
        keywords: ['machines', 'machine-controller-manager', 'node lifecycle', 'admission webhook'],
        annotations: annotations(),
      }),
    ]),
  },
];

const annotations = (): Record<string, string> => {
  const changes = changesOf(packageFile.version, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  return { ...ofEachVersion(), ...(changes.length > 0 ? { 'artifacthub.io/changes': yaml(changes) } : {}) };
};

const ofEachVersion = () => ({
  'artifacthub.io/license': packageFile.license,
  'artifacthub.io/operator': 'true',
  'artifacthub.io/crds': yaml(kinds.map(crdOf)),
  'artifacthub.io/crdsExamples': yaml(examples()),
});

/** A value that holds YAML itself, as Artifact Hub wants it. */
const yaml = (value: unknown): string => yamlDocument(value).toString({ lineWidth: 0 });

const crdOf = (kind: (typeof kinds)[number]) => ({
  kind: kind.kind,
  version,
  name: crdName(kind),
  displayName: kind.kind,
  description: kind.sentence,
});

/** The objects of our kinds among the examples, the first of each kind. */
function examples(): unknown[] {
  const objects = EXAMPLES.flatMap((file) =>
    parseAllDocuments(readFileSync(join(ROOT, 'schemas/examples', file), 'utf8')).map((one) => one.toJSON()),
  ) as Array<{ kind: string }>;
  return kinds.flatMap(({ kind }) => objects.filter((one) => one.kind === kind).slice(0, 1));
}
