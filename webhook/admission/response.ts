import { Unkeepable } from './compatibility.ts';
import type { Mutation } from './mutate.ts';
import type { AdmissionRequest } from './review.ts';
import type { Finding } from './rule.ts';

/** What the API server is told (admission.k8s.io/v1 AdmissionResponse), but for the uid. */
export interface Answer {
  allowed: boolean;
  status?: Status;
  warnings?: string[];
  /** Kept in the audit log under the webhook's name. */
  auditAnnotations?: Record<string, string>;
  patchType?: 'JSONPatch';
  /** In base64. */
  patch?: string;
}

/** The parts of metav1.Status that say why a request is refused. */
interface Status {
  code: number;
  reason: string;
  message: string;
  details?: {
    group: string;
    kind: string;
    name: string;
    causes: Array<{ reason: string; field: string; message: string }>;
  };
}

/** So many findings are told, and the number of the others: one bad line of a generated list may give thousands. */
const MOST_LISTED = 100;

/**
 * Refuses by all findings of level deny at once, and passes the others on as warnings. Forbidden is the answer to someone
 * who may not, Invalid as soon as something is wrong whoever asks.
 */
export function answerFindings({ kind, name, object }: AdmissionRequest, findings: readonly Finding[]): Answer {
  const denials = findings.filter(({ level }) => level === 'deny');
  const warnings = findings
    .filter(({ level }) => level === 'warn')
    .map(sentence)
    .slice(0, MOST_LISTED);
  const warned = warnings.length > 0 ? { warnings } : {};
  if (denials.length === 0) return { allowed: true, ...warned };
  const shown = denials.slice(0, MOST_LISTED);
  const untold = denials.length > shown.length ? [`and ${denials.length - shown.length} more`] : [];
  const forbidden = denials.every(({ reason }) => reason === 'FieldValueForbidden');
  return {
    allowed: false,
    status: {
      code: forbidden ? 403 : 422,
      reason: forbidden ? 'Forbidden' : 'Invalid',
      message: [...shown.map(sentence), ...untold].join('; '),
      details: {
        group: kind.group,
        kind: kind.kind,
        name: name || object?.metadata.generateName || '',
        causes: shown.map(({ reason, field, message }) => ({ reason, field, message })),
      },
    },
    auditAnnotations: { 'refused-by': [...new Set(denials.map(({ rule }) => rule))].join(',') },
    ...warned,
  };
}

/** Lets the object through with a patch, if there is anything to patch. */
export function answerMutation({ patch, warnings }: Mutation): Answer {
  const warned = warnings.length > 0 ? { warnings } : {};
  if (patch.length === 0) return { allowed: true, ...warned };
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch: encoded, ...warned };
}

/** Refuses a request that can be answered but not understood. */
export const answerUnfit = (unfit: string): Answer => ({
  allowed: false,
  status: { code: 400, reason: 'BadRequest', message: `this request cannot be judged: ${unfit}` },
});

/** Refuses a request that could not be judged; what is not judged is not let through. */
export function answerFailure(error: unknown): Answer {
  if (error instanceof Unkeepable) return answerUnfit(error.message);
  if (isTooDeep(error)) return answerUnfit('the object has too many levels');
  const message = `this request could not be judged: ${error instanceof Error ? error.message : error}`;
  return { allowed: false, status: { code: 500, reason: 'InternalError', message } };
}

/** The stack of calls is as deep as what they go through. */
const isTooDeep = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof Error && error.cause !== undefined && isTooDeep(error.cause));

const sentence = ({ field, message }: Finding): string => `${field}: ${message}`;
