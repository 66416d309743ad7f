import type { ControllerSettings } from '../../schemas/config/controller.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/observability/log.ts';
import type { Metrics } from '../runtime/observability/metrics.ts';
import type { Random } from '../runtime/random.ts';

/** What each part of a controller process runs with. */
export interface Environment {
  settings: ControllerSettings;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
}
