import { ANNOTATION_REVISION } from './keys.ts';
import type { MachineDeployment } from './machinedeployment.ts';
import type { MachineSet } from './machineset.ts';
import { isSameTemplate, type Template } from './templateidentity.ts';

/** Which of a deployment's sets is of which revision, for who rolls out and for who tells what that will do. */

/** The set that was made from a template: the oldest one, if there are several (hack/spec/mcm.md 4.4). */
export const setOfTemplate = (
  template: Template | undefined,
  sets: readonly MachineSet[],
  isSame = isSameTemplate,
): MachineSet | undefined => sets.filter((set) => isSame(set.spec?.template, template)).toSorted(oldestFirst)[0];

/** Sets in the order in which they were made. */
export function oldestFirst({ metadata: a }: MachineSet, { metadata: b }: MachineSet): number {
  const order = Date.parse(a.creationTimestamp ?? '') - Date.parse(b.creationTimestamp ?? '');
  return order || (a.name < b.name ? -1 : 1);
}

/** The set's revision; undefined where none is recorded. */
export function revisionOf({ metadata }: MachineSet): number | undefined {
  const revision = Number.parseInt(metadata.annotations?.[ANNOTATION_REVISION] ?? '', 10);
  return Number.isNaN(revision) ? undefined : revision;
}

/** The set to whose template a rollback goes; without a revision, or with 0, the latest one but for that of the present template (hack/spec/mcm.md 4.8). */
export function rollbackTarget(
  { spec }: MachineDeployment,
  sets: readonly MachineSet[],
  isSame = isSameTemplate,
): MachineSet | undefined {
  const revision = spec.rollbackTo?.revision ?? 0;
  if (revision !== 0) return sets.toSorted(oldestFirst).find((set) => revisionOf(set) === revision);
  const present = setOfTemplate(spec.template, sets, isSame);
  const others = sets.filter((set) => set !== present && revisionOf(set) !== undefined);
  return others.toSorted((a, b) => (revisionOf(b) ?? 0) - (revisionOf(a) ?? 0))[0];
}
