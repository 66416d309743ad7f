import { RELEASE } from '../../schemas/access.ts';
import type { Judged, Policy } from '../../schemas/policy.ts';
import { policies } from '../../webhook/policies.ts';
import type { Generated } from './generated.ts';
import { yamlDocument, yamlFile } from './yaml.ts';

/** What the API server judges by itself, as the chart and ./hack/up apply it: a file for each policy with its binding. */
export const policyFiles = (): Generated[] => policies.map((policy) => policyFile('webhook/policies.ts', policy));

const policyFile = (source: string, policy: Policy): Generated => ({
  path: `charts/drover/files/policies/${policy.id}.yaml`,
  content: yamlFile(source, [yamlDocument(policyOf(policy)), yamlDocument(bindingOf(policy))]),
});

const API_VERSION = 'admissionregistration.k8s.io/v1';

const nameOf = ({ id }: Policy): string => `${RELEASE}-${id}`;

const policyOf = (policy: Policy) => ({
  apiVersion: API_VERSION,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: nameOf(policy), annotations: { 'drover.dev/why': policy.why } },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: policy.asked.map(({ group, version, resources, operations }) => ({
        apiGroups: [group],
        apiVersions: [version],
        operations,
        resources,
      })),
    },
    ...(policy.only ? { matchConditions: named(policy.only) } : {}),
    ...(policy.variables ? { variables: named(policy.variables) } : {}),
    validations: policy.judged.map(validation),
  },
});

const named = (expressions: Readonly<Record<string, string>>) =>
  Object.entries(expressions).map(([name, expression]) => ({ name, expression }));

const validation = ({ holds, says, saysOf }: Judged) => ({
  expression: holds,
  message: says,
  ...(saysOf ? { messageExpression: saysOf } : {}),
  reason: 'Forbidden',
});

const bindingOf = (policy: Policy) => ({
  apiVersion: API_VERSION,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: nameOf(policy) },
  spec: { policyName: nameOf(policy), validationActions: ['Deny'] },
});
