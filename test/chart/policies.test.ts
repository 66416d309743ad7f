import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { readFolder } from '../../hack/controlplane/manifests.ts';
import { CHART, render, type Values } from './helm.ts';

const FOLDER = `${CHART}/files/policies/everybody`;
const EVERYBODYS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.replace('.yaml', ''));

interface Binding extends KubeObject {
  spec: { policyName: string; matchResources?: object };
}

const policiesIn = (objects: readonly KubeObject[]) =>
  objects.filter(({ kind }) => kind?.startsWith('ValidatingAdmissionPolicy'));

const namesOf = async (set: Values = {}) =>
  policiesIn(await render({ set })).flatMap(({ kind, metadata }) => (kind?.endsWith('Policy') ? [metadata.name] : []));

const bindingsOf = async (set: Values) =>
  policiesIn(await render({ set })).filter((one): one is Binding => one.kind === 'ValidatingAdmissionPolicyBinding');

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
    [
      'are with each release of a namespace (hack/decisions/0028)',
      { 'webhook.enabled': false, 'crds.enabled': false, 'controller.namespace': 'herds' },
      EVERYBODYS,
    ],
    [
      'are not where the Machines are elsewhere',
      {
        'webhook.enabled': false,
        'crds.enabled': false,
        'controller.namespace': 'herds',
        'controller.kubeconfig.control': 'far',
      },
      [],
    ],
    ['can be left out', { 'policies.enabled': false }, []],
    ['are not for a cluster without Machines', { 'rbac.targetOnly': true }, []],
  ])('about our kinds %s', async (_title, set, ids) => {
    const names = await namesOf(set);
    expect(new Set(names.filter((name) => name.startsWith('drover-')))).toEqual(
      new Set(ids.map((id) => `drover-${id}`)),
    );
  });

  const elsewhere = { 'webhook.namespaceSelector.matchLabels': { herds: 'yes' } };
  test.each<[string, Values, string | undefined]>([
    ['in all namespaces', {}, undefined],
    ['in all namespaces, whatever the webhook guards', elsewhere, undefined],
    ['in the only namespace that is looked after', { 'controller.namespace': 'herds' }, 'herds'],
    ['there, whatever the webhook guards', { 'controller.namespace': 'herds', ...elsewhere }, 'herds'],
  ])('about our kinds hold %s (hack/decisions/0028)', async (_title, set, namespace) => {
    const matchResources = namespace && {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    };
    const bindings = (await bindingsOf(set)).filter(({ spec }) => spec.policyName.startsWith('drover-'));
    expect(bindings.map(({ spec }) => spec.matchResources)).toEqual(EVERYBODYS.map(() => matchResources || undefined));
  });

  test('of an account hold wherever it writes (hack/decisions/0028)', async () => {
    const bindings = await bindingsOf({ 'controller.namespace': 'herds' });
    const accounts = bindings.filter(({ spec }) => spec.policyName.endsWith('.drover.dev'));
    expect(accounts.map(({ spec }) => spec.matchResources)).toEqual(accounts.map(() => undefined));
    expect(accounts.length).toBeGreaterThan(0);
  });

  test.each<[string, Values, readonly string[]]>([
    ['both programs', {}, ['nodes.drover-controller', 'registration.drover-webhook', 'secrets.drover-controller']],
    [
      'the controller of a target',
      { 'rbac.targetOnly': true },
      ['nodes.drover-controller', 'secrets.drover-controller'],
    ],
    ['the webhook alone', { 'controller.enabled': false }, ['registration.drover-webhook']],
    [
      'an account of the user',
      { 'webhook.enabled': false, 'controller.serviceAccount.name': 'mine' },
      ['nodes.mine', 'secrets.mine'],
    ],
    ['nobody, where they are left out', { 'policies.enabled': false }, []],
  ])('hold %s to what is theirs', async (_title, set, names) => {
    const found = (await namesOf(set)).filter((name) => name.endsWith('.drover-system.drover.dev'));
    expect(found.sort()).toEqual(names.map((name) => `${name}.drover-system.drover.dev`));
  });

  test('are about the account that the release has, in its namespace', async () => {
    const objects = policiesIn(await render({ release: 'west', namespace: 'herders' }));
    const name = 'nodes.west-drover-controller.herders.drover.dev';
    const [policy, binding] = objects.filter(({ metadata }) => metadata.name === name);
    const expression = "request.userInfo.username == 'system:serviceaccount:herders:west-drover-controller'";
    expect(policy).toMatchObject({ spec: { matchConditions: [{ name: 'account', expression }] } });
    expect(binding).toMatchObject({ spec: { policyName: name, validationActions: ['Deny'] } });
  });
});
