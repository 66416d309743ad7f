import { controllerOf, type KubeObject } from '../../controller/runtime/k8s/object.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { machineKind } from '../../schemas/machine.ts';
import { type MachineDeployment, machineDeploymentKind } from '../../schemas/machinedeployment.ts';
import { type MachineSet, machineSetKind } from '../../schemas/machineset.ts';
import { type Facts, NotYetKnown } from './context.ts';

/** Which kind makes which. */
const MAKERS: Readonly<Record<string, string>> = {
  [machineKind.kind]: machineSetKind.kind,
  [machineSetKind.kind]: machineDeploymentKind.kind,
};

/**
 * What made an object out of its template: the MachineSet of a Machine, or the MachineDeployment of a MachineSet, as it is
 * stored. Undefined for an owner reference that anybody could have written: to another kind, to what is not there, or by
 * another UID; and for a maker that was not seen yet.
 */
export function makerOf(made: KubeObject, { templated }: Facts): MachineSet | MachineDeployment | undefined {
  const owner = controllerOf(made);
  if (!owner || owner.apiVersion !== apiVersion || owner.kind !== MAKERS[made.kind ?? '']) return undefined;
  const maker = seen(() => templated(owner.kind, owner.name));
  return maker?.metadata.uid === owner.uid ? maker : undefined;
}

/** The object with nothing but what its maker would copy into it from what is stored; undefined for what no maker made. */
export function asTemplated<T extends KubeObject>(made: T, facts: Facts): T | undefined {
  const maker = makerOf(made, facts);
  const template = maker?.spec?.template;
  if (!maker || !template) return undefined;
  const { labels, annotations } = made.metadata;
  const copied = { ...maker.metadata.annotations, ...(isMachine(made) && template.metadata?.annotations) };
  const metadata = {
    ...made.metadata,
    labels: alike(labels, template.metadata?.labels),
    annotations: alike(annotations, copied),
  };
  const spec = isMachine(made) ? template.spec : { ...(made as KubeObject & { spec?: object }).spec, template };
  return { ...made, metadata, spec } as T;
}

type Texts = Readonly<Record<string, string>>;

/** The entries of the first that are in the second as well. */
const alike = (texts: Texts = {}, others: Texts = {}): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key, text]) => others[key] === text));

const isMachine = ({ kind }: KubeObject): boolean => kind === machineKind.kind;

function seen<T>(lookUp: () => T): T | undefined {
  try {
    return lookUp();
  } catch (error) {
    if (error instanceof NotYetKnown) return undefined;
    throw error;
  }
}
