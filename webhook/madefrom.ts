import type { KubeObject } from '../controller/runtime/object.ts';
import { classThere } from './classthere.ts';
import { fieldsPossible } from './drivenfields.ts';
import { driverThere } from './driverthere.ts';
import { specFitsDriver } from './fitsdriver.ts';
import { heededElsewhere } from './heededelsewhere.ts';
import type { Rule } from './rules.ts';
import type { SpecPlace } from './specplace.ts';

/** What holds for the class, or the provider and providerSpec, that machines are made from. */
export const madeFromRules = <T extends KubeObject>(place: SpecPlace<T>): readonly Rule<T>[] => [
  classThere(place),
  driverThere(place),
  specFitsDriver(place),
  ...fieldsPossible(place),
  heededElsewhere(place),
];
