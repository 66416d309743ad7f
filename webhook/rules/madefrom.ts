import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Rule } from '../admission/rule.ts';
import { classThere } from './classthere.ts';
import { fieldsPossible } from './drivenfields.ts';
import { driverThere } from './driver.ts';
import { heededElsewhere } from './elsewhere.ts';
import { specFitsDriver } from './fitsdriver.ts';
import type { SpecPlace } from './places.ts';

/** What holds for the class, or the provider and providerSpec, that machines are made from. */
export const madeFromRules = <T extends KubeObject>(place: SpecPlace<T>): readonly Rule<T>[] => [
  classThere(place),
  driverThere(place),
  specFitsDriver(place),
  ...fieldsPossible(place),
  heededElsewhere(place),
];
