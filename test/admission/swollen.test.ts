import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { webhookApp } from './app.ts';
import { answerTo } from './review.ts';
import { growable, grown } from './swollen.ts';

/** As many entries as the thorough run has reviews: all for which there is room. */
const entries = Number(process.env['REVIEWS'] ?? 4_000);
/** What takes longer would hold up everybody else's reviews: a rule goes through a list for each of its entries. */
const PATIENCE_MS = 20_000;

const { app } = webhookApp();

describe('an object of 3 MB is judged in time, be it made or changed', () => {
  async function judged(before: KubeObject, now: KubeObject): Promise<void> {
    for (const one of [{ now }, { before, now }]) {
      for (const path of ['/validate', '/mutate'] as const)
        expect((await answerTo(app, path, one)).status?.code).not.toBe(500);
    }
  }

  const places = growable();
  test.each(places)(
    'with much in %s',
    (_where, object, place) => judged(grown(object, place, entries), grown(object, place, entries - 1)),
    PATIENCE_MS,
  );

  const [, small] = places[0] ?? [];
  const noted = (long: string) => ({ ...small, metadata: { name: 'x', annotations: { long } } }) as KubeObject;
  test.each([
    ['ASCII', 'x'.repeat(3_000_000)],
    ['Unicode', '𝕂'.repeat(700_000)],
  ])('with a long text in %s', (_what, long) => judged(noted('short'), noted(long)));
});
