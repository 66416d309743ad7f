import { describe, expect, test } from 'bun:test';
import { controllerProgram } from './config/controller.ts';
import { webhookProgram } from './config/webhook.ts';
import { asksFor, parseSettings } from './config.ts';

const parse = (args: string[], env: Record<string, string> = {}) => parseSettings(controllerProgram, { args, env });

function settings(args: string[], env: Record<string, string> = {}) {
  const parsed = parse(args, env);
  if (!parsed.ok) throw new Error(parsed.findings.join('\n'));
  return parsed.settings;
}

function findings(args: string[], env: Record<string, string> = {}): string[] {
  const parsed = parse(args, env);
  return parsed.ok ? [] : parsed.findings;
}

const DEFAULTS = {
  controlKubeconfig: '',
  targetKubeconfig: '',
  clusterServerAllow: [],
  clusterCacheMib: 160,
  allClustersCacheMib: 0,
  namespace: '',
  installationId: '',
  formerInstallationIds: new Map(),
  controllers: ['machinedeployment', 'machineset', 'machine'],
  drivers: ['virtual'],
  port: 10258,
  address: '',
  concurrentSyncs: 50,
  minResyncPeriod: 43_200_000,
  kubeApiQps: 200,
  kubeApiBurst: 400,
  leaderElect: true,
  leaderElectNamespace: 'drover-system',
  leaderElectLeaseDuration: 15_000,
  leaderElectRenewDeadline: 10_000,
  leaderElectRetryPeriod: 2_000,
  machineCreationTimeout: 1_200_000,
  machineHealthTimeout: 600_000,
  machineDrainTimeout: 7_200_000,
  machineInplaceUpdateTimeout: 1_200_000,
  machinePreserveTimeout: 345_600_000,
  machineMaxEvictRetries: 360,
  machinePvDetachTimeout: 120_000,
  machinePvReattachTimeout: 90_000,
  maxConcurrentCreates: 100,
  maxConcurrentDeletes: 100,
  maxConcurrentUpdates: 10,
  maxDriverCalls: 400,
  resourceExhaustedRetry: 600_000,
  safetyUp: 2,
  safetyDown: 1,
  machineSafetyOvershootingPeriod: 60_000,
  bootstrapTokenAuthExtraGroups: [],
  bootstrapTokenMaxLife: 3_600_000,
  bootstrapTokenSigning: false,
  nodeConditions: ['KernelDeadlock', 'ReadonlyFilesystem', 'DiskPressure', 'NetworkUnavailable'],
  autoscalerScaledownAnnotationDuringRollout: true,
  nodeLeaseTimeout: 120_000,
  machineSafetyApiserverStatuscheckTimeout: 30_000,
  machineSafetyApiserverStatuscheckPeriod: 10_000,
  nodeName: '',
  unhealthyZoneThreshold: 55,
  zoneReplacementBudget: { percent: 10 },
  startupTaint: { key: 'drover.dev/uninitialized', effect: 'NoSchedule' },
  machineSafetyOrphanVmsPeriod: 900_000,
  orphanPolicy: 'delete',
  orphanGracePeriod: 600_000,
  orphanDeletionsPerSweep: 10,
  virtualStore: 'cluster',
  logLevel: 'info',
};

test('nothing given means the defaults of MCM but for our departures', () => {
  expect(settings([])).toEqual(DEFAULTS as never);
});

describe('a flag', () => {
  test.each([
    ['takes its value after =', ['--kube-api-qps=7.5'], { kubeApiQps: 7.5 }],
    ['takes its value from the next word', ['--kube-api-qps', '7.5'], { kubeApiQps: 7.5 }],
    ['may contain = in its value', ['--control-kubeconfig=/a=b'], { controlKubeconfig: '/a=b' }],
    ['may be written with underscores', ['--kube_api_burst=3'], { kubeApiBurst: 3 }],
    ['may be emptied', ['--node-conditions='], { nodeConditions: [] }],
    ['counts as given last', ['--port=1', '--port=2'], { port: 2 }],
    ['that is boolean stands alone', ['--leader-elect', '--port=2'], { leaderElect: true, port: 2 }],
    ['that is boolean can be denied', ['--leader-elect=false'], { leaderElect: false }],
    ['of a duration is kept in milliseconds', ['--min-resync-period=1h0.5s'], { minResyncPeriod: 3_600_500 }],
    ['of a duration may be a bare 0', ['--machine-drain-timeout=0'], { machineDrainTimeout: 0 }],
    ['of a share is a percentage', ['--unhealthy-zone-threshold=100%'], { unhealthyZoneThreshold: 100 }],
    ['of a budget may be a number', ['--zone-replacement-budget=3'], { zoneReplacementBudget: { count: 3 } }],
    ['of a list is trimmed', ['--node-conditions= A, B,,C '], { nodeConditions: ['A', 'B', 'C'] }],
    [
      'of a taint takes it without its value',
      ['--startup-taint=a.b/c=d:NoExecute'],
      { startupTaint: { key: 'a.b/c', effect: 'NoExecute' } },
    ],
    ['of a taint may be emptied', ['--startup-taint='], { startupTaint: null }],
    ['picks reconcilers', ['--controllers=machine'], { controllers: ['machine'] as const }],
    ['picks drivers', ['--drivers=virtual'], { drivers: ['virtual'] }],
    ['picks no driver', ['--drivers='], { drivers: [] }],
    ['picks all drivers but one (hack/decisions/0028)', ['--drivers=*,-virtual'], { drivers: [] }],
    [
      'of 0 for --resource-exhausted-retry means 10m',
      ['--resource-exhausted-retry=0s'],
      { resourceExhaustedRetry: 600_000 },
    ],
    ['names the namespace of the Lease as well', ['--namespace=a'], { namespace: 'a', leaderElectNamespace: 'a' }],
    ['names the namespace of the Lease alone', ['--leader-elect-namespace=b'], { leaderElectNamespace: 'b' }],
  ])('%s', (_what, args, expected) => {
    expect(settings(args)).toMatchObject(expected);
  });
});

describe('the environment', () => {
  test.each([
    ['is read', [], { DROVER_KUBE_API_QPS: '9' }, { kubeApiQps: 9 }],
    ['loses against a flag', ['--port=1'], { DROVER_PORT: '2' }, { port: 1 }],
    ['is absent when empty', [], { DROVER_PORT: '' }, { port: 10258 }],
    ['may deny a boolean', [], { DROVER_LEADER_ELECT: 'False' }, { leaderElect: false }],
    ['may hold the link of a Service', [], { DROVER_PORT: 'tcp://10.0.0.1:443' }, { port: 10258 }],
  ])('%s', (_what, args, env, expected) => {
    expect(settings(args, env)).toMatchObject(expected);
  });
});

describe('a sentence is said about', () => {
  test.each([
    [['--kube-api-qsp=3'], '--kube-api-qsp is not a flag of this program; did you mean --kube-api-qps?'],
    [['--whatever', 'x'], '--whatever is not a flag of this program; see --help'],
    [['-port=3'], '-port is not a flag of this program; did you mean --port?'],
    [['run'], '"run" is not a flag; write --flag=value'],
    [['--'], '"--" is not a flag; write --flag=value'],
    [['--leader-elect', 'false'], '"false" is not a flag; write --flag=value'],
    [['--port'], '--port needs a value'],
    [['--port', '--leader-elect'], '--port needs a value'],
    [['--port=70000'], '--port: "70000" is not a port; give a number from 1 to 65535, or 0 for any free port'],
    [['--address=localhost'], '--address: "localhost" is not an IP address; give one such as 0.0.0.0, 127.0.0.1 or ::'],
    [
      ['--installation-id=shoot/one'],
      '--installation-id: "shoot/one" is not an id that a label can carry; write up to 63 letters, digits, -, _ and ., with a letter or digit at each end',
    ],
    [
      ['--namespace=My_Space'],
      '--namespace: "My_Space" is not a name; give at most 63 small letters, digits and dashes',
    ],
    [['--concurrent-syncs=0'], '--concurrent-syncs: "0" is not a whole number of at least 1'],
    [['--kube-api-qps=0'], '--kube-api-qps: "0" is not a number above 0'],
    [['--kube-api-burst=0'], '--kube-api-burst: "0" is not a whole number of at least 1'],
    [['--leader-elect=perhaps'], '--leader-elect: "perhaps" is neither true nor false'],
    [['--log-level=loud'], '--log-level: "loud" is not one of debug, info, warn, error'],
    [
      ['--startup-taint=starting'],
      '--startup-taint: "starting" is not a taint; write it as key:NoSchedule, key:PreferNoSchedule or key:NoExecute',
    ],
    [['--virtual-store=disk'], '--virtual-store: "disk" is not one of cluster, memory'],
    [
      ['--controllers=machine,node'],
      '--controllers: "machine,node" is not a list out of machinedeployment, machineset, machine; * means all of them',
    ],
    [
      ['--min-resync-period=10'],
      '--min-resync-period: "10" is not a duration of 0 or more; write it with its unit, such as 30s, 10m or 1h30m',
    ],
    [
      ['--leader-elect-lease-duration=500ms', '--leader-elect-renew-deadline=5ms', '--leader-elect-retry-period=2ms'],
      '--leader-elect-lease-duration: "500ms" is not a duration of at least 1s; write it with its unit, such as 30s, 10m or 1h30m',
    ],
    [
      ['--leader-elect-renew-deadline=15s'],
      '--leader-elect-renew-deadline: must be shorter than --leader-elect-lease-duration, or two could lead at once',
    ],
    [
      ['--leader-elect-retry-period=9s'],
      '--leader-elect-retry-period: must be shorter than five sixths of --leader-elect-renew-deadline, or no renewal could be retried',
    ],
    [
      ['--target-kubeconfig=none'],
      '--control-kubeconfig: is needed when --target-kubeconfig is none; give a path, or inClusterConfig',
    ],
  ])('%p', (args, sentence) => {
    expect(findings(args)).toEqual([sentence]);
  });

  test('a variable, by its own name', () => {
    expect(findings([], { DROVER_LOG_LEVEL: 'loud' })).toEqual([
      'DROVER_LOG_LEVEL: "loud" is not one of debug, info, warn, error',
    ]);
  });

  test('everything that is wrong, at once', () => {
    expect(findings(['--prt=1', '--port=x', '--kube-api-qps=-1', '--leader-elect-retry-period=1h'])).toHaveLength(4);
  });
});

describe('the arguments of an MCM deployment', () => {
  test('are taken unchanged, with a warning about each that has no effect', () => {
    const parsed = parse([
      '--control-kubeconfig=inClusterConfig',
      '--machine-safety-overshooting-period=1m',
      '--namespace=shoot',
      '--safety-up=3',
      '--machine-safety-apiserver-statuscheck-period=1m',
      '--target-kubeconfig=/var/run/secrets/kubeconfig',
      '--concurrent-syncs=30',
      '--profiling',
      '-v',
      '3',
    ]);
    expect(parsed).toMatchObject({
      ok: true,
      settings: { controlKubeconfig: 'inClusterConfig', namespace: 'shoot', concurrentSyncs: 30, safetyUp: 3 },
      warnings: [
        '--profiling has no effect: Drover has no need of it',
        '--v has no effect: Drover logs JSON lines; see --log-level',
      ],
    });
  });
});

describe('the webhook', () => {
  const webhook = (...args: string[]) => parseSettings(webhookProgram, { args, env: {} });

  test('is told the names of its Service for its certificate', () => {
    expect(webhook('--namespace=n', '--service=s', '--tls-server-names=127.0.0.1,localhost')).toMatchObject({
      settings: { tlsServerNames: ['s.n.svc', 's.n.svc.cluster.local', 's.n', 's', '127.0.0.1', 'localhost'] },
    });
  });

  test.each([
    [['--tls-mode=provided', '--tls-cert-file=a', '--tls-key-file=b'], []],
    [['--tls-mode=provided', '--tls-cert-file=a'], ['--tls-key-file']],
    [['--tls-key-file=b'], ['--tls-key-file']],
    [['--tls-mode=provided'], ['--tls-cert-file', '--tls-key-file']],
    [['--namespace='], ['--namespace']],
    [['--safety-up=1'], ['--safety-up is not a flag of this program; see --help']],
  ])('given %p finds fault with %p', (args, named) => {
    const parsed = webhook(...args);
    expect(parsed.ok ? [] : parsed.findings.map((sentence) => sentence.split(':')[0])).toEqual(named);
  });
});

test.each([
  [['--help'], 'help'],
  [['--port=1', '-h'], 'help'],
  [['--version', '--help'], 'help'],
  [['--version'], 'version'],
  [['--port=1'], undefined],
] as const)('%p asks for %p', (args, asked) => {
  expect(asksFor(args)).toBe(asked);
});
