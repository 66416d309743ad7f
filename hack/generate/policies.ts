import { policies as controller } from '../../controller/manager/policies.ts';
import { NAMESPACE, RELEASE } from '../../schemas/access.ts';
import { accountPolicyName, celText, type Policy, usernameOf, type Validation } from '../../schemas/policy.ts';
import { policies as everybodys, accountPolicies as webhook } from '../../webhook/manifests/policies.ts';
import type { Generated } from './generated.ts';
import { yamlDocument, yamlFile } from './yaml.ts';

/** What the API server judges by itself, as the chart and ./hack/up apply it: a file for each policy with its binding. */
export const policyFiles = (): Generated[] => [
  ...everybodys.map((policy) => policyFile('webhook/manifests/policies.ts', policy)),
  ...webhook.map((policy) => policyFile('webhook/manifests/policies.ts', policy)),
  ...controller.map((policy) => policyFile('controller/manager/policies.ts', policy)),
];

/** Those for an account lie in a folder of their program. */
const policyFile = (source: string, policy: Policy): Generated => ({
  path: `charts/drover/files/policies/${policy.account ?? 'everybody'}/${policy.id}.yaml`,
  content: yamlFile(source, [yamlDocument(policyOf(policy)), yamlDocument(bindingOf(policy))]),
});

const API_VERSION = 'admissionregistration.k8s.io/v1';

const accountOf = (program: string) => ({ namespace: NAMESPACE, name: `${RELEASE}-${program}` });

/** Of everybody's writes it is the release's; for an account the name tells which. */
const nameOf = ({ id, account }: Policy): string =>
  account ? accountPolicyName(id, accountOf(account)) : `${RELEASE}-${id}`;

const conditionsOf = ({ account, only = {} }: Policy): Readonly<Record<string, string>> => ({
  ...(account ? { account: `request.userInfo.username == ${celText(usernameOf(accountOf(account)))}` } : {}),
  ...only,
});

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
    ...(Object.keys(conditionsOf(policy)).length > 0 ? { matchConditions: named(conditionsOf(policy)) } : {}),
    ...(policy.variables ? { variables: named(policy.variables) } : {}),
    validations: policy.judged.map(validation),
  },
});

const named = (expressions: Readonly<Record<string, string>>) =>
  Object.entries(expressions).map(([name, expression]) => ({ name, expression }));

const validation = ({ expression, message, messageExpression }: Validation) => ({
  expression,
  message,
  ...(messageExpression ? { messageExpression } : {}),
  reason: 'Forbidden',
});

const bindingOf = (policy: Policy) => ({
  apiVersion: API_VERSION,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: nameOf(policy) },
  spec: { policyName: nameOf(policy), validationActions: ['Deny'] },
});
