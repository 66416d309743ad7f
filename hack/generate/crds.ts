import { crd } from '../../schemas/crd.ts';
import { group, kinds } from '../../schemas/kinds.ts';
import type { Generated } from './generated.ts';
import { yamlDocument, yamlFile } from './yaml.ts';

/** A CRD of each kind, as the chart and ./hack/up apply them. */
export const crds = (): Generated[] =>
  kinds.map((kind) => ({
    path: `charts/drover/files/crds/${kind.plural}.${group}.yaml`,
    content: yamlFile(`schemas/${kind.kind.toLowerCase()}.ts`, [yamlDocument(crd(kind))]),
  }));
