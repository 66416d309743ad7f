import * as v from 'valibot';
import { count } from './common.ts';
import { optional, served } from './field.ts';

/** How long a machine is ready before it is available; of MCM's types (hack/spec/mcm.md 1.3, 1.4). */
export const minReadySeconds = optional(
  count,
  'How many seconds a machine must be Running before it counts as available, with minReadySecondsPolicy Honor. MCM ignores this field, and so does Drover without that policy.',
);

/** Ours, beside MCM's, in the specs of sets and deployments. A field that is added here is kept when clients of MCM's drop it. */
export const readySecondsEntries = {
  minReadySecondsPolicy: served(
    v.picklist(['Ignore', 'Honor']),
    'Ignore',
    'Whether minReadySeconds counts: Ignore, as with MCM, or Honor; then each step of a rollout takes that much longer.',
  ),
};
