import { coldChanges } from '../../schemas/hotpart.ts';
import type { Capability } from '../../schemas/providers/capabilities.ts';
import type { Published } from '../../schemas/providers/index.ts';
import { type Check, compileCheck } from './schema.ts';

/** A registered driver, as far as rules need it. */
export interface Provider {
  name: string;
  /** What it can do beyond making and removing VMs. */
  can: ReadonlySet<Capability>;
  /** What is wrong with a providerSpec. */
  specFaults: Check;
  /** What is wrong with the nodeTemplate of a class; drivers that do not mind find nothing. */
  nodeTemplateFaults: Check;
  /** Where a providerSpec changed that a VM which was made of it cannot follow. */
  coldChanges(before: unknown, after: unknown): string[];
}

/** Registered drivers by name. */
export type Providers = ReadonlyMap<string, Provider>;

/**
 * What drivers publish. A schema is compiled when a document is first held against it, for that takes longer than all else
 * at the start; one that is no good or beyond the bounds makes the check throw an Error then.
 */
export const registerProviders = (published: readonly Published[]): Providers =>
  new Map(published.map((one) => [one.name, providerOf(one)]));

function providerOf({ name, providerSpec, nodeTemplate, capabilities }: Published): Provider {
  return {
    name,
    can: new Set(capabilities),
    specFaults: onFirstUse(() => compileCheck(`providerSpec of driver ${name}`, providerSpec)),
    nodeTemplateFaults: nodeTemplate
      ? onFirstUse(() => compileCheck(`nodeTemplate of driver ${name}`, nodeTemplate))
      : () => [],
    coldChanges: (before, after) => coldChanges(before, after, providerSpec),
  };
}

function onFirstUse(make: () => Check): Check {
  let check: Check | undefined;
  return (document) => {
    check ??= make();
    return check(document);
  };
}
