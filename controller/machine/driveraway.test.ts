import { describe, expect, test } from 'bun:test';
import { FINALIZER } from '../../schemas/keys.ts';
import { machine } from '../../test/fixtures/objects.ts';
import { DriverError } from '../drivers/sdk/errors.ts';
import { Life, VM } from './life.fixture.ts';

const HOUR_S = 3_600;
const held = { metadata: { finalizers: [FINALIZER] } };

/** A driver that answers nothing good, or nothing at all, until it is back. */
class Away {
  isAway = true;
  #isThere = true;
  readonly #how: 'fails' | 'hangs';

  constructor(how: 'fails' | 'hangs') {
    this.#how = how;
  }

  readonly methods = {
    getMachineStatus: () => this.#unlessAway(() => this.#vm()),
    deleteMachine: () =>
      this.#unlessAway(() => {
        this.#isThere = false;
        return {};
      }),
  };

  async #unlessAway<T>(answer: () => T): Promise<T> {
    if (this.isAway && this.#how === 'hangs') return new Promise<T>(() => {});
    if (this.isAway) throw new DriverError('Unavailable', 'the cloud does not answer');
    return answer();
  }

  #vm() {
    if (!this.#isThere) throw new DriverError('NotFound', 'there is no such VM');
    return VM;
  }
}

/** Lets time pass until the Machine is gone. */
const goes = (life: Life, seconds: number): Promise<boolean> =>
  life.pass(seconds).then(async () => !(await life.left()).machine);

describe.each(['fails', 'hangs'] as const)('a driver that is away for an hour: each call %s', (how) => {
  const recorded = { labels: { node: 'm' }, ...held.metadata };
  const known = machine({ metadata: recorded, spec: { providerID: VM.providerID } });

  test('keeps a machine that is deleted, without a storm of calls; back again, its VM goes and then it', async () => {
    const away = new Away(how);
    const life = new Life(away.methods, { one: known, hasTarget: false });
    await life.pass(10);
    await life.remove();
    await life.pass(HOUR_S);
    expect((await life.machine()).metadata.finalizers).toEqual([FINALIZER]);
    const calls = Object.values(life.called).flat().length;
    expect(calls).toBeLessThanOrEqual(80);
    away.isAway = false;
    expect(await goes(life, 600)).toBe(true);
  });

  test('costs a machine nothing whose Node is well', async () => {
    const away = new Away(how);
    away.isAway = false;
    const life = new Life(away.methods, { one: known });
    await life.register({ metadata: { name: 'm' } });
    await life.pass(60);
    expect(life.phases.at(-1)).toStartWith('Running');
    away.isAway = true;
    await life.pass(HOUR_S);
    expect(life.phases.at(-1)).toStartWith('Running');
    expect(Object.values(life.called).flat().length).toBeLessThanOrEqual(80);
  });
});
