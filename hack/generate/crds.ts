import { crd, crdName } from '../../schemas/crd.ts';
import { kinds } from '../../schemas/kinds.ts';
import type { Generated } from './generated.ts';
import { yamlDocument, yamlFile } from './yaml.ts';

/** A CRD of each kind, as the chart and ./hack/up apply them. */
export const crds = (): Generated[] =>
  kinds.map((kind) => ({
    path: `charts/drover/files/crds/${crdName(kind)}.yaml`,
    content: yamlFile(`schemas/${kind.kind.toLowerCase()}.ts`, [yamlDocument(crd(kind))]),
  }));
