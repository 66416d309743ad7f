import { isTooLarge, type Selector } from '../../schemas/selector.ts';

/**
 * A selector in the text form that `/scale` hands to a HorizontalPodAutoscaler (apimachinery labels.Selector); empty for one
 * that is too large, by which nothing is done.
 */
export function selectorText(selector: Selector | null | undefined): string {
  if (isTooLarge(selector)) return '';
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const requirements = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${[...(values ?? [])].sort().join(',')})`;
  });
  return [...labels.sort(), ...requirements.sort()].join(',');
}
