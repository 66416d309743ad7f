import { controllerProgram } from '../../schemas/config/controller.ts';
import { webhookProgram } from '../../schemas/config/webhook.ts';
import type { Generated } from './generated.ts';
import { settingsSchema } from './settingschema.ts';
import { anything, closed, count, flag, list, oneOf, type Schema, text, texts, textWith } from './valueschema.ts';

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
