import { describe, expect, test } from 'bun:test';
import { isSameNews } from '../../controller/machine/calls/failures.ts';
import { parseDuration } from '../../schemas/duration.ts';
import { nearest } from '../../schemas/nearest.ts';
import { boundOf } from '../../schemas/rules/autoscaler.ts';
import { isPriority, priorityOverride } from '../../schemas/rules/machine.ts';
import { isTime } from '../../schemas/rules/time.ts';
import { isLabelKey, isLabelValue, isSubdomain, selectorFindings } from '../../schemas/selector.ts';
import { parsePath } from '../../webhook/admission/fieldpath.ts';
import { certificatesIn } from '../../webhook/certificate/keypair.ts';
import { webhookApp } from './app.ts';
import { longTexts, textPlaces, withText } from './longtexts.ts';
import { answerTo } from './review.ts';

// hack/decisions/0028 W1. What is linear has done all of this in a blink; what is not, takes minutes of the one thread
// that serves everybody.

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  parseDuration,
  isTime,
  boundOf,
  isPriority,
  isLabelKey,
  isLabelValue,
  isSubdomain,
  certificatesIn,
  parsePath,
  priorityOverride: (text) => priorityOverride({ 'protected.drover.dev/reconcile-priority': text }),
  selectorFindings: (text) => selectorFindings({ matchLabels: { [text]: text } }),
  nearest: (text) => nearest(text, ['virtual', text]),
  isSameNews: (text) => isSameNews(text, `${text}.`),
};

test.each(Object.keys(readers))('%s reads texts of 256 KiB', (name) => {
  for (const text of longTexts) readers[name]?.(text);
});

describe('a review of an object with a text of 256 KiB is answered', () => {
  const { app } = webhookApp();
  const pumps = longTexts.filter((_text, index) => index % 5 === 0);
  test.each(textPlaces())('in %s', async (_where, object, place) => {
    for (const text of pumps) {
      const now = withText(object, place, text);
      for (const path of ['/validate', '/mutate'] as const)
        expect((await answerTo(app, path, { now })).status?.code).not.toBe(500);
    }
  });
});
