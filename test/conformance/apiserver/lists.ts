import { expect, test } from 'bun:test';
import { type Secret, secrets } from '../../../controller/runtime/k8s/core.ts';
import type { KubeObject } from '../../../controller/runtime/k8s/object.ts';
import { resources } from '../../../schemas/kinds.ts';
import type { Farm } from './farm.ts';

const names = ({ items }: { items: KubeObject[] }): string[] => items.map(({ metadata }) => metadata.name);

/** What comes of a list. */
export function lists(farm: Farm): void {
  test('in the order of their names, page by page, with the version of the whole', async () => {
    const labels = { list: 'pages' };
    const made = [await farm.machine({ labels }), await farm.machine({ labels }), await farm.machine({ labels })];
    const options = { namespace: farm.namespace, labelSelector: 'list=pages', pageSize: 2 };
    const found = await farm.api.list(resources.machines, options);
    expect(names(found)).toEqual(names({ items: made }).sort());
    const versions = found.items.map(({ metadata }) => Number(metadata.resourceVersion));
    expect(Number(found.resourceVersion)).toBeGreaterThanOrEqual(Math.max(...versions));
  });

  test.each([
    ['size=big', ['big', 'both']],
    ['size!=big', ['plain', 'small']],
    ['size in (big,small)', ['big', 'both', 'small']],
    ['size notin (big)', ['plain', 'small']],
    ['black', ['both']],
    ['!size', ['plain']],
    ['size=big,!black', ['big']],
  ])('by labels: %s', async (selector, expected) => {
    const flock = { list: 'labels' };
    const sheep: Record<string, Record<string, string>> = {
      plain: {},
      big: { size: 'big' },
      small: { size: 'small' },
      both: { size: 'big', black: 'yes' },
    };
    for (const [name, labels] of Object.entries(sheep))
      await farm.machine({ name, labels: { ...flock, ...labels } }).catch(() => {});
    const options = { namespace: farm.namespace, labelSelector: `list=labels,${selector}` };
    expect(names(await farm.api.list(resources.machines, options))).toEqual(expected);
  });

  test('by fields: a name, and the type of a Secret', async () => {
    const secret = (type: string): Secret => ({ metadata: farm.ref(farm.name('secret')), type });
    const [plain, other] = [
      await farm.api.create(secrets, secret('farm.example/plain')),
      await farm.api.create(secrets, secret('farm.example/other')),
    ];
    const select = async (fieldSelector: string) =>
      names(await farm.api.list(secrets, { namespace: farm.namespace, fieldSelector }));
    expect(await select(`metadata.name=${plain.metadata.name}`)).toEqual([plain.metadata.name]);
    expect(await select('type!=farm.example/plain')).toEqual([other.metadata.name]);
    expect(await select('type!=farm.example/plain,type!=farm.example/other')).toEqual([]);
  });
}
