import { mutatingConfiguration, validatingConfiguration } from '../../webhook/manifests/configuration.ts';
import { tables } from '../../webhook/rules/kinds/registry.ts';
import type { Generated } from './generated.ts';
import { yamlDocument, yamlFile } from './yaml.ts';

/** How the API server is told of the webhook, as the chart and ./hack/up apply it. */
export const webhookConfigurations = (): Generated[] => [
  file('validating', validatingConfiguration(tables)),
  file('mutating', mutatingConfiguration(tables)),
];

const file = (name: string, configuration: unknown): Generated => ({
  path: `charts/drover/files/webhook/${name}.yaml`,
  content: yamlFile('the tables in webhook/', [yamlDocument(configuration)]),
});
