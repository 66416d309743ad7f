import * as v from 'valibot';
import { type VirtualSpec, virtualSpec } from '../../../schemas/providers/virtual.ts';
import { DriverError } from '../sdk/errors.ts';

/**
 * Reads a class's providerSpec.
 * @throws DriverError InvalidArgument that names every field with a bad value and every unknown one
 */
export function readSpec(providerSpec: unknown): VirtualSpec {
  const { success, output, issues } = v.safeParse(virtualSpec, providerSpec);
  if (success) return output;
  throw new DriverError('InvalidArgument', issues.map(sentence).join('; '));
}

/** The same for those who must go on with a bad providerSpec: it counts as empty. */
export function specOrNone(providerSpec: unknown): VirtualSpec {
  const { success, output } = v.safeParse(virtualSpec, providerSpec);
  return success ? output : {};
}

/** One finding; messages of our own schema say what is wanted, valibot's own begin with Invalid. */
function sentence(issue: v.BaseIssue<unknown>): string {
  const place = ['providerSpec', v.getDotPath(issue)].filter(Boolean).join('.');
  if (issue.expected === 'never') return `${place}: there is no such field, leave it out`;
  if (issue.received === 'undefined') return `${place}: is missing`;
  const wish = issue.message.startsWith('Invalid') ? `must be ${issue.expected}` : issue.message;
  return `${place}: ${wish}, not ${issue.received}`;
}
