import type { IgnoredFlag } from './program.ts';

const NOT_NEEDED = 'Drover has no need of it';
const LOGGING = 'Drover logs JSON lines; see --log-level';

/** Flags of MCM's two programs (hack/spec/mcm.md 3) that Drover takes without effect. */
export const ignoredFlags: readonly IgnoredFlag[] = [
  { flag: 'cloud-provider', why: 'the provider of a class chooses its driver' },
  { flag: 'controller-start-interval', why: NOT_NEEDED },
  { flag: 'kube-api-content-type', why: 'Drover speaks JSON' },
  { flag: 'leader-elect-resource-lock', why: 'the lock is always a Lease' },
  { flag: 'profiling', boolean: true, why: NOT_NEEDED },
  { flag: 'contention-profiling', boolean: true, why: NOT_NEEDED },

  { flag: 'v', why: LOGGING },
  { flag: 'vmodule', why: LOGGING },
  { flag: 'logging-format', why: LOGGING },
  { flag: 'log-flush-frequency', why: LOGGING },
  { flag: 'log-json-info-buffer-size', why: LOGGING },
  { flag: 'log-json-split-stream', boolean: true, why: LOGGING },
  { flag: 'log-text-info-buffer-size', why: LOGGING },
  { flag: 'log-text-split-stream', boolean: true, why: LOGGING },
];
