import { expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020';
import { errorOf, type Herd } from './herd.ts';

/** What there is room for, and what a providerSpec may say. */
export function limits(herd: Herd): void {
  const { plain, edited, unknownKey, full } = herd.trial.specs;

  test('in a JSON Schema that tells good from bad as the driver does', () => {
    const ajv = new Ajv2020({ strict: true, logger: false });
    ajv.addKeyword('x-drover-hot-update');
    const validates = ajv.compile(herd.driver.providerSpec);
    expect([plain, edited, unknownKey.spec].map((spec) => validates(spec))).toEqual([true, true, false]);
  });

  if (full) {
    test('in a class that is full: the next VM is ResourceExhausted, until room comes back', async () => {
      const requests = Array.from({ length: full.room }, () => herd.request(full.spec));
      const answers = await Promise.all(requests.map((request) => herd.driver.createMachine(request)));
      const [first] = requests;
      const one = herd.request(full.spec);
      expect((await errorOf(herd.driver.createMachine(one))).code).toBe('ResourceExhausted');
      if (first) {
        await herd.driver.createMachine(first);
        await herd.remove(first, answers[0]);
      }
      expect((await herd.driver.createMachine(one)).providerID).not.toBe('');
    });
  }
}
