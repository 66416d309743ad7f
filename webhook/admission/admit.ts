import type { Log } from '../../controller/runtime/observability/log.ts';
import type { Metrics } from '../../controller/runtime/observability/metrics.ts';
import { kinds } from '../../schemas/kinds.ts';
import type { Mutation } from './mutate.ts';
import { type Answer, answerFailure, answerFindings, answerMutation } from './response.ts';
import { type AdmissionRequest, isExempt } from './review.ts';
import type { Validate } from './validate.ts';

/** Decides on a request. Never throws: what cannot be judged is refused. */
export type Decide = (request: AdmissionRequest) => Promise<Answer>;

interface Parts {
  log: Log;
  metrics: Metrics;
}

/** Decides by findings. */
export function validateHandler(validate: Validate, parts: Parts): Decide {
  return instrumented('/validate', parts, async (request) => {
    const findings = await validate(request);
    for (const { rule, level } of findings) parts.metrics.count('drover_webhook_findings_total', { rule, level });
    return answerFindings(request, findings);
  });
}

/** Lets through, with what is missing filled in; what is exempt from the rules goes through whatever happens here. */
export const mutateHandler = (mutate: (request: AdmissionRequest) => Promise<Mutation>, parts: Parts): Decide =>
  instrumented('/mutate', parts, async (request) => {
    try {
      return answerMutation(await mutate(request));
    } catch (error) {
      if (!isExempt(request)) throw error;
      parts.log.error('what a client dropped could not be kept', { ...about(request), error });
      return { allowed: true };
    }
  });

const judgedKinds: ReadonlySet<string> = new Set([...kinds.map(({ kind }) => kind), 'Scale']);

/** With metrics and a log line for every answer. */
function instrumented(path: string, { log, metrics }: Parts, decide: Decide): Decide {
  return async (request) => {
    const answer = await decide(request).catch((error) => {
      log.error('a request could not be judged', { ...about(request), error });
      return answerFailure(error);
    });
    const kind = judgedKinds.has(request.kind.kind) ? request.kind.kind : 'other';
    metrics.count('drover_webhook_reviews_total', {
      path,
      kind,
      operation: request.operation,
      verdict: verdictOf(answer),
    });
    if (answer.auditAnnotations)
      log.info('refused', { ...about(request), rules: answer.auditAnnotations['refused-by'] });
    return answer;
  };
}

const verdictOf = ({ allowed, patch, status }: Answer): string => {
  if (allowed) return patch === undefined ? 'allowed' : 'patched';
  return status?.code === 500 ? 'failed' : 'refused';
};

const about = ({ kind, operation, namespace, name, userInfo }: AdmissionRequest) => ({
  kind: kind.kind,
  operation,
  namespace,
  name,
  user: userInfo.username,
});
