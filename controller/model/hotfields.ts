import { hotPart, marksHot } from '../../schemas/hotpart.ts';
import type { JsonSchema } from '../../schemas/jsonschema.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { canonical } from './hash.ts';

/** Tells the hot fields of classes: those that reach VMs that exist. */
export class HotFields {
  /** Of the drivers that update VMs. */
  readonly #schemas: ReadonlyMap<string, JsonSchema>;
  /** By providerSpec: classes are read far more often than they change. */
  readonly #known = new WeakMap<object, string>();

  constructor(drivers: ReadonlyMap<string, Driver>) {
    const hot = [...drivers].filter(([, driver]) => driver.updateMachine && marksHot(driver.providerSpec));
    this.#schemas = new Map(hot.map(([name, driver]) => [name, driver.providerSpec]));
  }

  /** As canonical JSON; undefined when the class's driver updates nothing. */
  of({ provider, providerSpec }: Pick<MachineClass, 'provider' | 'providerSpec'>): string | undefined {
    const schema = this.#schemas.get(provider ?? '');
    if (!schema) return undefined;
    const spec = typeof providerSpec === 'object' && providerSpec !== null ? providerSpec : {};
    const known = this.#known.get(spec);
    if (known !== undefined) return known;
    const part = canonical(hotPart(spec, schema));
    this.#known.set(spec, part);
    return part;
  }
}
