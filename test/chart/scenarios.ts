import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { CHART } from './helm.ts';

const FOLDER = join(CHART, 'ci');

/** The names of `ci/<name>-values.yaml`: each is a way to install the chart. */
export const scenarios: readonly string[] = readdirSync(FOLDER)
  .map((file) => /^(.+)-values\.yaml$/.exec(file)?.[1] ?? file)
  .sort();

/** The values of one. */
export const valuesOf = (scenario: string): string => join(FOLDER, `${scenario}-values.yaml`);

/** A workload of the chart: the parts that tests look at. */
export interface Deployment extends KubeObject {
  spec: { replicas: number; selector: { matchLabels: Record<string, string> }; template: PodTemplate };
}

/** What its pods are made from. */
export interface PodTemplate {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: { serviceAccountName: string; containers: Container[] } & Record<string, unknown>;
}

/** One container of it. */
export interface Container {
  name: string;
  image: string;
  args: string[];
  env?: ReadonlyArray<{ name: string; value?: string; valueFrom?: object }>;
  volumeMounts: ReadonlyArray<{ name: string; mountPath: string }>;
}

/** The workloads among objects. */
export const deploymentsIn = (objects: readonly KubeObject[]): Deployment[] =>
  objects.filter((one): one is Deployment => one.kind === 'Deployment');
