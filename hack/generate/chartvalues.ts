import { controllerProgram } from '../../schemas/config/controller.ts';
import { type Flag, flagsOf, type Program } from '../../schemas/config/program.ts';
import { webhookProgram } from '../../schemas/config/webhook.ts';
import type { Generated } from './generated.ts';

/** JSON Schema (draft 7) for the values of a chart: that is what all versions of helm understand. */
type Schema = Readonly<Record<string, unknown>>;

/** An object of these keys and no other. */
const closed = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
});

/** An object whose shape is Kubernetes' or the user's. */
const anything: Schema = { type: 'object' };

/** Any text. */
const text: Schema = { type: 'string' };

/** A text that the expression matches. */
const textWith = (pattern: string): Schema => ({ type: 'string', pattern });

/** Texts by name, as labels and annotations are. */
const texts: Schema = { type: 'object', additionalProperties: text };

/** True or false. */
const flag: Schema = { type: 'boolean' };

/** A whole number of at least `minimum`, and at most `maximum` if that is said. */
const count = (minimum: number, maximum?: number): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});

/** One of these words. */
const oneOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });

/** A list of such items. */
const list = (items: Schema): Schema => ({ type: 'array', items });

/** charts/drover/values.schema.json: the shape of the chart's values. What is not named here fails an installation. */
export const chartValues = (): Generated[] => [
  { path: 'charts/drover/values.schema.json', content: `${JSON.stringify(chartSchema, null, 2)}\n` },
];

/** Settings that the chart gives by values of its own, or by the names of the release. */
const chartsOwn = {
  controller: ['controlKubeconfig', 'targetKubeconfig', 'namespace', 'port', 'nodeName', 'drivers'],
  webhook: [
    'kubeconfig',
    'namespace',
    'drivers',
    'service',
    'port',
    'tlsMode',
    'tlsSecret',
    'tlsFolder',
    'tlsCertFile',
    'tlsKeyFile',
    'clientCaFile',
    'webhookConfiguration',
  ],
};

/** A name of Kubernetes, or nothing. */
const nameOrNone = textWith('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$');
/** A Go duration of hours, minutes and seconds, as Kubernetes takes it. */
const duration = textWith('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$');

const numberOrPercent: Schema = { anyOf: [count(0), textWith('^([0-9]{1,3}%)?$')] };

/**
 * The settings of a program as values of the chart, without those that the chart gives itself. A program reads texts; here
 * numbers and switches may be written as such, and lists as lists.
 * @param own names of the settings that the chart gives itself
 */
const settingsSchema = (program: Program<unknown>, own: readonly string[]): Schema =>
  closed(
    Object.fromEntries(
      flagsOf(program)
        .filter(({ setting }) => !own.includes(setting))
        .map((flag) => [flag.setting, { ...shapeOf(flag), description: flag.description }]),
    ),
  );

/** What a program takes, by the words in its help (schemas/config/value.ts). */
const shapes: Readonly<Record<string, Schema>> = {
  number: { anyOf: [{ type: 'number', minimum: 0 }, textWith('^[0-9]+(\\.[0-9]+)?$')] },
  duration: { anyOf: [textWith('^([0-9]*\\.?[0-9]+(ns|us|µs|ms|s|m|h))+$'), { const: 0 }, { const: '0' }] },
  percentage: textWith('^[0-9]{1,3}%$'),
  'number|percentage': { anyOf: [{ type: 'integer', minimum: 1 }, textWith('^[0-9]+%?$')] },
  'true|false': { anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['true', 'false'] }] },
};

function shapeOf({ takes }: Flag): Schema {
  const shape = shapes[takes];
  if (shape) return shape;
  if (takes.endsWith(',…')) return { anyOf: [text, list(text)] };
  return /^[a-zA-Z]+(\|[a-zA-Z]+)+$/.test(takes) && !takes.includes('path')
    ? { type: 'string', enum: takes.split('|') }
    : text;
}

/** What both programs have. */
const program = {
  enabled: flag,
  replicas: count(1),
  env: list(anything),
  envFrom: list(anything),
  extraArgs: list(text),
  volumes: list(anything),
  volumeMounts: list(anything),
  resources: anything,
  priorityClassName: nameOrNone,
  podDisruptionBudget: closed({ enabled: flag, maxUnavailable: numberOrPercent, minAvailable: numberOrPercent }),
  nodeSelector: texts,
  tolerations: list(anything),
  affinity: anything,
  topologySpreadConstraints: list(anything),
  podAnnotations: texts,
  podLabels: texts,
  serviceAccount: closed({ create: flag, name: nameOrNone, annotations: texts }),
  podTemplate: closed({ metadata: anything, spec: anything }),
};

const controller = closed({
  ...program,
  deploymentName: nameOrNone,
  namespace: nameOrNone,
  kubeconfig: closed({
    control: textWith('^(inClusterConfig|/.+|[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$'),
    target: textWith('^(inClusterConfig|/.+|[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$'),
    key: textWith('^[-._a-zA-Z0-9]+$'),
  }),
  settings: settingsSchema(controllerProgram, chartsOwn.controller),
  openRequests: count(256, 65_336),
});

const webhook = closed({
  ...program,
  failurePolicy: oneOf('Fail', 'Ignore'),
  timeoutSeconds: count(1, 30),
  namespaceSelector: closed({ matchLabels: texts, matchExpressions: list(anything) }),
  annotations: texts,
  tls: closed({
    mode: oneOf('self', 'certManager', 'provided'),
    certManager: closed({ issuerRef: closed({ name: text, kind: text, group: text }), duration }),
    provided: closed({ secretName: nameOrNone, withAuthority: flag }),
    clientAuthority: closed({ configMap: nameOrNone, key: textWith('^[-._a-zA-Z0-9]+$') }),
  }),
  settings: settingsSchema(webhookProgram, chartsOwn.webhook),
  port: count(1, 65_535),
  preStopSeconds: count(0, 25),
});

const monitored = { enabled: flag, labels: texts };

const chartSchema: Schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...closed({
    // Of a chart that holds this one; nothing here reads it.
    global: anything,
    fullnameOverride: textWith('^([a-z]([-a-z0-9]{0,46}[a-z0-9])?)?$'),
    commonLabels: texts,
    imagePullSecrets: list({ anyOf: [text, closed({ name: text })] }),
    image: closed({
      repository: text,
      tag: text,
      digest: textWith('^(sha256:[0-9a-f]{64})?$'),
      pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
    }),
    crds: closed({ enabled: flag, keep: flag }),
    rbac: closed({ create: flag, targetOnly: flag, aggregate: closed({ view: flag, edit: flag }) }),
    policies: closed({ enabled: flag }),
    controller,
    webhook,
    check: closed({ namespace: nameOrNone }),
    driver: closed({
      names: list(textWith('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')),
      virtual: closed({ enabled: flag, createNamespace: flag }),
      sidecars: list(anything),
    }),
    networkPolicy: closed({
      enabled: flag,
      apiServerPorts: list(count(1, 65_535)),
      apiServerCidrs: list(textWith('^[0-9a-fA-F:.]+/[0-9]{1,3}$')),
      metricsFrom: list(anything),
      controllerEgress: list(anything),
    }),
    flowControl: closed({ enabled: flag, nominalConcurrencyShares: count(0) }),
    monitoring: closed({
      enabled: flag,
      serviceMonitor: closed({ ...monitored, interval: duration }),
      prometheusRule: closed(monitored),
      dashboard: closed(monitored),
    }),
  }),
};
