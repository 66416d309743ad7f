import type { Selector } from '../schemas/selector.ts';

/** A selector in the text form that `/scale` hands to a HorizontalPodAutoscaler (apimachinery labels.Selector). */
export function selectorText(selector: Selector | null | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const requirements = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${[...(values ?? [])].sort().join(',')})`;
  });
  return [...labels.sort(), ...requirements.sort()].join(',');
}
