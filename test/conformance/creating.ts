import { expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020';
import { classOf } from '../../controller/drivers/sdk/errors.ts';
import { errorOf, type Herd } from './herd.ts';

/** One token makes one VM, whatever happens on the way. */
export function creating(herd: Herd): void {
  const { plain, edited, lostAnswer, slow } = herd.trial.specs;

  test('a VM with an identity and the name of its Node', async () => {
    const answer = await herd.driver.createMachine(herd.request());
    expect(answer.providerID).not.toBe('');
    expect(answer.nodeName).not.toBe('');
  });

  test('a VM of its own for each token', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => herd.driver.createMachine(herd.request())));
    expect(new Set(answers.map(({ providerID }) => providerID)).size).toBe(3);
    expect(new Set(answers.map(({ nodeName }) => nodeName)).size).toBe(3);
  });

  test('no second VM when it is asked again', async () => {
    const request = herd.request();
    const { providerID, nodeName } = await herd.driver.createMachine(request);
    const before = await herd.listed(request);
    expect(await herd.driver.createMachine(request)).toMatchObject({ providerID, nodeName });
    expect(await herd.listed(request)).toEqual(before);
    expect(before?.length ?? 1).toBe(1);
  });

  test('no second VM when it is asked several times at once', async () => {
    const request = herd.request();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => herd.driver.createMachine(request)));
    expect(new Set(answers.map(({ providerID }) => providerID)).size).toBe(1);
    expect((await herd.listed(request))?.length ?? 1).toBe(1);
  });

  test('no second VM when the spec was edited in between', async () => {
    const request = herd.request(plain);
    const { providerID } = await herd.driver.createMachine(request);
    const before = await herd.listed(request);
    const later = { ...request, class: { ...request.class, providerSpec: edited } };
    expect((await herd.driver.createMachine(later)).providerID).toBe(providerID);
    expect(await herd.listed(request)).toEqual(before);
  });

  if (lostAnswer) {
    test('no second VM when the answer of the first call was lost', async () => {
      const request = herd.request(lostAnswer);
      const error = await errorOf(herd.driver.createMachine(request));
      expect(classOf(error.code, 'createMachine')).toBe('transient');
      await herd.driver.createMachine(request);
      expect((await herd.listed(request))?.length ?? 1).toBe(1);
    });
  }

  if (slow) {
    test('no second VM when the first call was given up half-way', async () => {
      const request = herd.request(slow);
      const error = await errorOf(herd.driver.createMachine({ ...request, signal: AbortSignal.timeout(50) }));
      expect(classOf(error.code, 'createMachine')).toBe('transient');
      await herd.driver.createMachine(request);
      expect((await herd.listed(request))?.length ?? 1).toBe(1);
    });
  }
}

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
