import { describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import {
  deletionSteps as clusterLeaving,
  liveSteps as clusterLiving,
  reasons as clusterReasons,
  steps as clusterSteps,
} from '../cluster/flow.ts';
import { codes } from '../drivers/sdk/errors.ts';
import { deletionSteps as machineLeaving, liveSteps as machineLiving } from '../machine/flow/flow.ts';
import { reasons as machineReasons } from '../machine/flow/reasons.ts';
import { steps as machineSteps } from '../machine/flow/steptraits.ts';
import { classFlow, classReasons, classSteps, secretFlow, secretReasons, secretSteps } from '../machineclass/flow.ts';
import { deletionSteps as deploymentLeaving, liveSteps as deploymentLiving } from '../machinedeployment/flow/flow.ts';
import { reasons as deploymentReasons, steps as deploymentSteps } from '../machinedeployment/flow/reasons.ts';
import { deletionSteps as setLeaving, liveSteps as setLiving } from '../machineset/flow/flow.ts';
import { reasons as setReasons, steps as setSteps } from '../machineset/flow/reasons.ts';
import type { ReasonTable, StepTable } from './flow.ts';

const kinds: ReadonlyArray<[kind: string, steps: StepTable, reasons: ReasonTable, flows: readonly object[]]> = [
  ['machine', machineSteps, machineReasons, [machineLiving, machineLeaving]],
  ['machineset', setSteps, setReasons, [setLiving, setLeaving]],
  ['machinedeployment', deploymentSteps, deploymentReasons, [deploymentLiving, deploymentLeaving]],
  ['cluster', clusterSteps, clusterReasons, [clusterLiving, clusterLeaving]],
  ['machineclass', classSteps, classReasons, [classFlow]],
  ['machineclass', secretSteps, secretReasons, [secretFlow]],
];

const ROOT = `${import.meta.dir}/..`;

/** What a kind's decisions are made of: its own files, and those that all kinds share. */
const sourceOf = async (kind: string): Promise<string> => {
  const shared = ['flow', 'model', 'framework', 'nodes', 'targets', 'state', 'drain', 'safety'];
  const files = [...shared, kind].flatMap((folder) => [...new Glob(`${folder}/**/*.ts`).scanSync(ROOT)]);
  const code = files.filter((path) => !/\.(test|fixture|fake)\.ts$|reasons\.ts$/.test(path));
  return (await Promise.all(code.map((path) => Bun.file(`${ROOT}/${path}`).text()))).join('\n');
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
    const texts = [...Object.values(steps), ...Object.values(reasons).map(({ help: message }) => message)];
    expect(texts.filter((text) => !/^[A-Z`].*\.$/.test(text))).toEqual([]);
  });
});
