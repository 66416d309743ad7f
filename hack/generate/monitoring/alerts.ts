import type { Alert } from './alert.ts';
import { machineAlerts } from './machinealerts.ts';
import { programAlerts } from './programalerts.ts';
import { safetyAlerts } from './safetyalerts.ts';

/** Every alert, by the group of rules in which Prometheus has it. */
export const alerts: Readonly<Record<string, readonly Alert[]>> = {
  'drover-programs': programAlerts,
  'drover-machines': machineAlerts,
  'drover-safety': safetyAlerts,
};
