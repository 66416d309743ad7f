import type { JsonSchema } from '../jsonschema.ts';
import type { Capability } from './capabilities.ts';
import virtualNodeTemplate from './virtual.nodetemplate.schema.json';
import virtualSpec from './virtual.schema.json';

/** What a driver publishes about the classes that it serves. */
export interface Published {
  /** Name of the driver: the `provider` of its classes, exactly. */
  readonly name: string;
  /** What a providerSpec may hold; `x-drover-hot-update: true` marks fields that may change on a class in use. */
  readonly providerSpec: JsonSchema;
  /** What the nodeTemplate of a class may hold, where the driver minds. */
  readonly nodeTemplate?: JsonSchema;
  /** What it can do beyond making and removing VMs; without a word nothing. Fields that ask for more are refused. */
  readonly capabilities?: readonly Capability[];
}

/** Of the virtual driver. */
export const virtual: Published = {
  name: 'virtual',
  providerSpec: virtualSpec,
  nodeTemplate: virtualNodeTemplate,
  capabilities: ['retain', 'update'],
};

/** Every driver of ours; the webhook knows them from here, because it knows nothing of the controller. */
export const providers: readonly Published[] = [virtual];
