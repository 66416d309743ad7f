import * as v from 'valibot';
import type { Program } from './program.ts';
import { duration, name, setting, text } from './value.ts';

const entries = {
  kubeconfig: setting(
    text('path|inClusterConfig'),
    '',
    'Kubeconfig of the cluster that holds the Machines; empty and inClusterConfig mean the service account of the pod.',
  ),
  namespace: setting(name, 'default', 'Namespace in which the Machines are tried.'),
  timeout: setting(duration, '1m', 'How long it is tried again while it does not work; 0 means once.'),
};

const schema = v.object(entries);

/** Settings of the check; durations in milliseconds. */
export type CheckSettings = v.InferOutput<typeof schema>;

/** The check that an installation works, for `helm test` and for people. */
export const checkProgram: Program<CheckSettings> = {
  start: 'drover check',
  description: 'Tries a good and a bad Machine, keeps neither, and tells whether admission works: exit code 0, or 1.',
  schema,
  ignored: [],
};
