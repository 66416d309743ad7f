import { LABEL_TEMPLATE_HASH } from '../keys.ts';
import { isEmpty, matches, type Selector, selectorFindings } from '../selector.ts';

type MaybeSelector = Selector | null | undefined;

/** Whether a selector that says something picks none of the machines that its own template makes. */
export const missesTemplate = (
  selector: MaybeSelector,
  labels: Readonly<Record<string, string>> | null | undefined,
): boolean => !isEmpty(selector) && selectorFindings(selector).length === 0 && !matches(selector, labels);

/** Whether a selector that said something now says something else. */
export const selectorChanged = (now: MaybeSelector, before: MaybeSelector): boolean =>
  !isEmpty(before) && !Bun.deepEquals(plain(now), plain(before));

/** The same, but for the template's hash, which MCM adds to the selector of a set that it adopts (hack/spec/mcm.md 4.4). */
export function selectorChangedBeyondHash(now: MaybeSelector, before: MaybeSelector): boolean {
  const hashed = before?.matchLabels?.[LABEL_TEMPLATE_HASH] !== undefined;
  return selectorChanged(hashed ? now : withoutHash(now), before);
}

function withoutHash(selector: MaybeSelector): MaybeSelector {
  const { [LABEL_TEMPLATE_HASH]: _hash, ...matchLabels } = selector?.matchLabels ?? {};
  return { ...selector, matchLabels };
}

/** A selector with every part written out, so that two that mean the same are equal. */
const plain = (selector: MaybeSelector) => ({
  matchLabels: selector?.matchLabels ?? {},
  matchExpressions: (selector?.matchExpressions ?? []).map(({ key, operator, values }) => ({
    key,
    operator,
    values: values ?? [],
  })),
});
