import { expect, test } from 'bun:test';
import type { RawWatchEvent, WatchOptions } from '../../../controller/runtime/client/api.ts';
import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { type Farm, SHEAR } from './farm.ts';

const isNews = ({ type }: RawWatchEvent): boolean => type !== 'BOOKMARK';
const short = ({ type, object }: RawWatchEvent): string => `${type} ${object.metadata.name}`;

/** Watches Machines of a flock, from now on. */
async function begin(farm: Farm, flock: string): Promise<(count: number) => Promise<Array<RawWatchEvent<Machine>>>> {
  const selection = { namespace: farm.namespace, labelSelector: `flock=${flock}` };
  const { resourceVersion } = await farm.api.list(resources.machines, selection);
  return (count) => take(farm, { ...selection, resourceVersion, count });
}

/** The first events of a watch; later ones are left. */
async function take(
  farm: Farm,
  { count, ...selection }: Omit<WatchOptions, 'signal' | 'timeoutSeconds'> & { count: number },
): Promise<Array<RawWatchEvent<Machine>>> {
  const told: Array<RawWatchEvent<Machine>> = [];
  const end = new AbortController();
  const options = { ...selection, timeoutSeconds: 30, signal: end.signal };
  for await (const event of farm.api.watch(resources.machines, options)) {
    if (isNews(event)) told.push(event);
    if (told.length === count) break;
  }
  end.abort();
  return told;
}

/** What a watch tells. */
export function watches(farm: Farm): void {
  test('each write once, in the order of the versions, and none that changed nothing', async () => {
    const told = await begin(farm, 'a');
    const labels = { flock: 'a' };
    const machine = await farm.machine({ labels });
    const changed = await farm.change(machine, { spec: { providerID: 'farm:///1' } });
    await farm.change(machine, { spec: { providerID: 'farm:///1' } });
    const reported = await farm.change(machine, { status: { currentStatus: { phase: 'Running' } } }, 'status');
    await farm.api.delete(resources.machines, machine.metadata);
    const { name } = (await farm.machine({ labels })).metadata;
    const events = await told(5);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED', 'ADDED']);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(5);
    expect(events[1]?.object).toMatchObject({ metadata: changed.metadata, spec: changed.spec });
    expect(events[2]?.object.metadata.resourceVersion).toBe(reported.metadata.resourceVersion);
    expect(events[4]?.object.metadata.name).toBe(name);
  });

  test('a deletion with a version of its own, later than that of any write', async () => {
    const told = await begin(farm, 'b');
    const machine = await farm.machine({ labels: { flock: 'b' }, finalizers: [SHEAR] });
    const marked = await farm.api.delete(resources.machines, machine.metadata);
    await farm.change(machine, { metadata: { finalizers: null } });
    const [, second, gone] = await told(3);
    expect([second?.type, gone?.type]).toEqual(['MODIFIED', 'DELETED']);
    expect(second?.object.metadata.resourceVersion).toBe(marked?.metadata.resourceVersion);
    expect(Number(gone?.object.metadata.resourceVersion)).toBeGreaterThan(Number(marked?.metadata.resourceVersion));
    expect(gone?.object.metadata.uid).toBe(machine.metadata.uid);
  });

  test('objects that come and go by their labels as new and as gone', async () => {
    const told = await begin(farm, 'c');
    const machine = await farm.machine();
    const { name } = machine.metadata;
    await farm.change(machine, { metadata: { labels: { flock: 'c' } } });
    await farm.change(machine, { metadata: { labels: { flock: 'd' } } });
    await farm.change(machine, { metadata: { labels: { flock: 'c' } } });
    expect((await told(3)).map(short)).toEqual([`ADDED ${name}`, `DELETED ${name}`, `ADDED ${name}`]);
  });

  test('again what came after a version that was seen before', async () => {
    const labels = { flock: 'e' };
    const first = await farm.machine({ labels });
    const second = await farm.machine({ labels });
    const resourceVersion = first.metadata.resourceVersion ?? '';
    const selection = { namespace: farm.namespace, labelSelector: 'flock=e', resourceVersion, count: 1 };
    expect((await take(farm, selection)).map(short)).toEqual([`ADDED ${second.metadata.name}`]);
  });

  test('until the time that was asked for is over', async () => {
    const { resourceVersion } = await farm.api.list(resources.machines, { namespace: farm.namespace });
    const { signal } = new AbortController();
    const options = { namespace: farm.namespace, resourceVersion, timeoutSeconds: 1, signal };
    const events = await Array.fromAsync(farm.api.watch(resources.machines, options));
    expect(events.filter(isNews)).toEqual([]);
  });
}
