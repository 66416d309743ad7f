import { expect, test } from 'bun:test';
import { until } from '../../hack/until.ts';
import type { Herd } from './herd.ts';

/** A world without the driver's machines is as it was before. */
export function leaving(herd: Herd): void {
  test('everything can be deleted, and nothing of it is left', async () => {
    await herd.removeAll();
    const left = async () => (await herd.candidate.inventory(herd.prefix)).join(', ');
    await until('an empty inventory', async () => (await left()) === '', { timeoutMs: 30_000 }).catch(() => {});
    expect(await left()).toBe('');
  }, 120_000);

  test('its secrets were told to nobody', () => expect(herd.tellsSecret()).toBe(false));
}
