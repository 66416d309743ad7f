/** Reasons of `fail` that end a Machine: it is replaced, never mended (MCM 6.4b, 6.5 D). */
export const FATAL: ReadonlySet<string> = new Set([
  'VmVanished',
  'CreationTimedOut',
  'NodeNameTaken',
  'JoinTimedOut',
  'HealthTimedOut',
  'InPlaceUpdateGivenUp',
]);
