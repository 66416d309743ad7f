import type { Hono } from 'hono';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { systemClock } from '../../controller/runtime/clock.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { createMetrics } from '../../controller/runtime/observability/metrics.ts';
import type { Permission } from '../../webhook/admission/accessreview.ts';
import { mutateHandler, validateHandler } from '../../webhook/admission/admit.ts';
import type { LookUp } from '../../webhook/admission/context.ts';
import { createMutate } from '../../webhook/admission/mutate.ts';
import type { Finding } from '../../webhook/admission/rule.ts';
import { createValidate } from '../../webhook/admission/validate.ts';
import { webhookMetrics } from '../../webhook/metrics.ts';
import { tables } from '../../webhook/rules/kinds/registry.ts';
import { withoutSavedRecords } from '../../webhook/rules/savedrecords.ts';
import { createServer } from '../../webhook/server/server.ts';
import { lookUpIn } from './facts.ts';

/** The user whom `onlyOperator` lets touch protected keys. */
export const OPERATOR = { username: 'olga', groups: ['system:authenticated'] };

const onlyOperator: Permission = async ({ username }) => username === OPERATOR.username;

/** The webhook's endpoints with the real tables, what they logged, and every finding so far. */
export function webhookApp(
  permission: Permission = onlyOperator,
  lookUp: LookUp = lookUpIn(),
  more: { trustedOnly?: boolean } = {},
) {
  const log = new FakeLog();
  const metrics = createMetrics({ tables: [webhookMetrics] });
  const parts = { clock: systemClock, log, metrics };
  const validate = createValidate({ tables, permission, lookUp, retryDelay: async () => {} });
  const found: Finding[] = [];
  const app: Hono = createServer({
    ...parts,
    ready: {},
    isStopping: () => false,
    ...more,
    validate: validateHandler(async (request) => {
      const findings = await validate(request);
      found.push(...findings);
      return findings;
    }, parts),
    mutate: mutateHandler(
      withoutSavedRecords(createMutate({ tables, clock: new FakeClock(), lookUp }), permission),
      parts,
    ),
  });
  return { app, log, found };
}
