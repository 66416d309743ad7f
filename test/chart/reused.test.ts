import { describe, expect, test } from 'bun:test';
import { helm, render, renderingArguments, type Values } from './helm.ts';

/**
 * `helm upgrade --reuse-values` brings the values of the older chart, defaults included, and with them none that has come
 * since: what is missing means its default (hack/decisions/0028). helm drops a key that is given as null.
 */

/** What a chart that somebody may come from did not have. */
const ADDED = [
  'policies',
  'webhook.tls.clientAuthority',
  'networkPolicy.apiServerCidrs',
  'imagePullSecrets',
  'rbac.aggregate',
  'driver.names',
  'webhook.port',
  'webhook.extraArgs',
  ...['controller', 'webhook'].flatMap((program) =>
    [
      'podDisruptionBudget',
      'tolerations',
      'affinity',
      'topologySpreadConstraints',
      'podAnnotations',
      'podLabels',
      'envFrom',
    ].map((key) => `${program}.${key}`),
  ),
];
const missing = (keys: readonly string[]): Values => Object.fromEntries(keys.map((key) => [key, null]));

describe('values of an older chart', () => {
  test.each<[what: string, keys: readonly string[], set: Values]>([
    ...ADDED.map((key): [string, string[], Values] => [key, [key], {}]),
    ['all that has come since', ADDED, {}],
    ['all of it with network policies', ADDED, { 'networkPolicy.enabled': true }],
    ['all of it in one namespace', ADDED, { 'controller.namespace': 'herds' }],
    ['all of it for a target', ADDED, { 'rbac.targetOnly': true }],
    ['policies.enabled', ['policies.enabled'], {}],
    [
      'the key of the authority',
      ['webhook.tls.clientAuthority.key'],
      { 'webhook.tls.clientAuthority.configMap': 'callers' },
    ],
  ])('without %s are rendered as with its default', async (_what, keys, set) => {
    expect(await render({ set: { ...set, ...missing(keys) } })).toEqual(await render({ set }));
  });

  test('are told of as what they mean', async () => {
    const set = { 'webhook.failurePolicy': 'Ignore', ...missing(ADDED) };
    const { code, stdout, stderr } = await helm(['install', ...renderingArguments({ set }), '--dry-run=client']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('nil pointer')]);
    expect(stdout).toContain('the cluster label are held by policies all the same');
    expect(stdout).not.toContain('without policies');
  });
});
