import { policies as controllerPolicies } from '../../controller/manager/policies.ts';
import { access as controller } from '../../controller/manager/rbac.ts';
import type { Access, Condition } from '../../schemas/access.ts';
import { accountPolicies as webhookPolicies } from '../../webhook/manifests/policies.ts';
import { access as webhook } from '../../webhook/manifests/rbac.ts';
import { type Generated, notice } from './generated.ts';
import { markdownTable } from './markdown.ts';

/** charts/drover/ACCESS.md: every right of both programs, where it holds, and what it is for. */
export const accessPage = (): Generated[] => [
  {
    path: 'charts/drover/ACCESS.md',
    content: `${[introduction, ...controllerParts(), part('The webhook', webhook), policyPart()].join('\n\n')}\n`,
  },
];

const introduction = `# What Drover may do

<!-- ${notice('controller/manager/rbac.ts and webhook/manifests/rbac.ts')} -->

Each program has an account of its own with the rights below and no other. The tests run both programs under just these, on a
real API server, and look for a refusal. With \`controller.namespace\` the rights in *its namespaces* are given in that one
alone; otherwise in all.`;

const controllerParts = (): string[] => [
  part(
    'The controller, where the Machines are',
    controller.filter(({ cluster }) => cluster === 'control'),
  ),
  part(
    'The controller, in a cluster that machines join',
    controller.filter(({ cluster }) => cluster === 'target'),
  ),
];

const policyPart = (): string => `## What policies take away

Roles know no owners, so policies of admission bind both accounts further ([why](../../hack/decisions/0038-bind-our-own-accounts-by-policies.md)),
in every cluster where an account has rights. \`policies.enabled\` installs them.

${markdownTable(
  ['policy', 'account', 'holds', 'who is refused reads'],
  [...controllerPolicies, ...webhookPolicies].map(({ id, account = '', why, judged }) => [
    `\`${id}\``,
    account,
    why,
    judged.map(({ message }) => message).join('; '),
  ]),
)}`;

const part = (title: string, access: readonly Access[]): string => `## ${title}

${markdownTable(['on', 'may', 'where', 'because it'], access.map(row))}`;

const row = ({ group, resources, verbs, names, scope, when, why }: Access): string[] => [
  resources.map((resource) => `\`${group === '' ? resource : `${resource}.${group}`}\``).join(', '),
  verbs.join(', '),
  [placeOf(scope), ...(names ? [`only ${names.map((name) => `\`${name}\``).join(', ')}`] : [])].join('; '),
  when ? `${why} *(${conditions[when]})*` : why,
];

const placeOf = (scope: Access['scope']): string => {
  if (scope === 'cluster') return 'everywhere';
  return scope === 'followed' ? 'its namespaces' : `\`${scope.slice('namespace:'.length)}\``;
};

const conditions: Readonly<Record<Condition, string>> = {
  virtual: 'only with the driver of simulated machines, `driver.virtual.enabled`',
  issues: 'only with `webhook.tls.mode: self`',
  publishes: 'only where the webhook makes its authority known',
};
