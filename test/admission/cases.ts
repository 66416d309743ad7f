import type { CaseTable } from './case.ts';
import { clusterCases } from './cluster.ts';
import { whileLeaving } from './leaving.ts';
import { machineCases } from './machine.ts';
import { machineClassCases } from './machineclass.ts';
import { machineDeploymentCases } from './machinedeployment.ts';
import { machineDrainRuleCases } from './machinedrainrule.ts';
import { machineSetCases } from './machineset.ts';

/** The cases of every kind: run through the program's own endpoints, and through a real API server. */
export const caseTables: readonly CaseTable[] = [
  whileLeaving(machineClassCases),
  whileLeaving(machineCases),
  whileLeaving(machineSetCases),
  whileLeaving(machineDeploymentCases),
  whileLeaving(clusterCases),
  whileLeaving(machineDrainRuleCases),
];
