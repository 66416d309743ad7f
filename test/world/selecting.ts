import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { matches } from '../../schemas/selector.ts';
import { badRequest } from './refusal.ts';

/** Whether an object is among those that a list or a watch asks for. */
export type Wanted = (object: KubeObject) => boolean;

/** What the query of a list or a watch selects. Throws a Refusal for a selector that it does not understand. */
export function wanted(query: URLSearchParams, namespace: string | undefined): Wanted {
  const labels = parts(query.get('labelSelector')).map(labelTest);
  const fields = parts(query.get('fieldSelector')).map(fieldTest);
  const tests = [...labels, ...fields];
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) && tests.every((holds) => holds(object));
}

/** `a=b,c in (d,e),!f` in its parts: a comma between parentheses separates nothing. */
const parts = (selector: string | null): string[] =>
  (selector ?? '')
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter(Boolean);

function labelTest(part: string): Wanted {
  const equality = /^([^\s=!]+)\s*(==?|!=)\s*(\S*)$/.exec(part);
  const membership = /^(\S+)\s+(in|notin)\s+\((.*)\)$/.exec(part);
  const existence = /^(!?)([^\s=!]+)$/.exec(part);
  const [, key = '', sign, value = ''] = equality ?? membership ?? [];
  const values = value.split(',').map((one) => one.trim());
  const operator = sign === undefined ? (existence?.[1] ? 'DoesNotExist' : 'Exists') : operators[sign];
  if (operator === undefined || !(sign || existence)) throw badRequest(`unable to parse requirement: ${part}`);
  const requirement = sign ? { key, operator, values } : { key: existence?.[2] ?? '', operator };
  return ({ metadata }) => matches({ matchExpressions: [requirement] }, metadata.labels);
}

const operators: Readonly<Record<string, string>> = {
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  in: 'In',
  notin: 'NotIn',
};

function fieldTest(part: string): Wanted {
  const [, path = '', sign, value = ''] = /^([\w.]+)(==?|!=)(.*)$/.exec(part) ?? [];
  if (!sign) throw badRequest(`invalid field selector: ${part}`);
  return (object) => {
    const is = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], object);
    return (String(is ?? '') === value) === (sign !== '!=');
  };
}
