import { describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { reasons as clusterReasons, steps as clusterSteps } from './cluster/reasons.ts';
import { leaving as clusterLeaving, living as clusterLiving } from './cluster/reconcile.ts';
import { codes } from './codes.ts';
import { leaving as machineLeaving } from './machine/leaving.ts';
import { reasons as machineReasons, steps as machineSteps } from './machine/reasons.ts';
import { living as machineLiving } from './machine/reconcile.ts';
import { classReasons, classSteps, secretReasons, secretSteps } from './machineclass/reasons.ts';
import { classFlow, secretFlow } from './machineclass/reconcile.ts';
import { reasons as deploymentReasons, steps as deploymentSteps } from './machinedeployment/reasons.ts';
import { leaving as deploymentLeaving, living as deploymentLiving } from './machinedeployment/reconcile.ts';
import { reasons as setReasons, steps as setSteps } from './machineset/reasons.ts';
import { leaving as setLeaving, living as setLiving } from './machineset/reconcile.ts';
import type { ReasonTable, StepTable } from './reasons.ts';

const kinds: ReadonlyArray<[kind: string, steps: StepTable, reasons: ReasonTable, flows: readonly object[]]> = [
  ['machine', machineSteps, machineReasons, [machineLiving, machineLeaving]],
  ['machineset', setSteps, setReasons, [setLiving, setLeaving]],
  ['machinedeployment', deploymentSteps, deploymentReasons, [deploymentLiving, deploymentLeaving]],
  ['cluster', clusterSteps, clusterReasons, [clusterLiving, clusterLeaving]],
  ['machineclass', classSteps, classReasons, [classFlow]],
  ['machineclass', secretSteps, secretReasons, [secretFlow]],
];

/** What a kind's decisions are made of: its own files, and those that all kinds share. */
const sourceOf = async (kind: string): Promise<string> => {
  const files = ['*.ts', 'drain/*.ts', 'safety/**/*.ts', `${kind}/**/*.ts`].flatMap((pattern) => [
    ...new Glob(pattern).scanSync(import.meta.dir),
  ]);
  const code = files.filter((path) => !/\.(test|fixture|fake)\.ts$|reasons\.ts$/.test(path));
  return (await Promise.all(code.map((path) => Bun.file(`${import.meta.dir}/${path}`).text()))).join('\n');
};

describe.each(kinds)('the tables of %s', (kind, steps, reasons, flows) => {
  test('have a sentence for each step, in the order of the flows', () => {
    expect(Object.keys(steps)).toEqual([...new Set(flows.flatMap((flow) => Object.keys(flow)))]);
  });

  test('hold no reason that nobody gives', async () => {
    const source = await sourceOf(kind);
    const unused = Object.keys(reasons).filter((name) => !(name in codes) && !source.includes(`'${name}'`));
    expect(unused).toEqual([]);
  });

  test('speak in sentences', () => {
    const texts = [...Object.values(steps), ...Object.values(reasons).map(({ says }) => says)];
    expect(texts.filter((text) => !/^[A-Z`].*\.$/.test(text))).toEqual([]);
  });
});
