import { expect, test } from 'bun:test';
import { machineDeployment } from '../../test/fixtures/objects.ts';
import { judgedOnce } from './sametemplate.ts';

const templateOf = (annotations: Record<string, string>, read = () => {}) => {
  const { template } = machineDeployment({ spec: { template: { metadata: { annotations } } } } as never).spec;
  const metadata = { ...template.metadata };
  const values = metadata.annotations;
  Object.defineProperty(metadata, 'annotations', {
    get: () => {
      read();
      return values;
    },
  });
  return { ...template, metadata };
};

// hack/decisions/0028 T53: twenty sets with 35,000 annotations each were compared anew several times in each look.
test('two templates are compared once, whatever they have', () => {
  const isSame = judgedOnce();
  let read = 0;
  const [one, same, other] = [templateOf({ a: 'b' }, () => read++), templateOf({ a: 'b' }), templateOf({ a: 'c' })];
  for (let times = 0; times < 3; times++) {
    expect(isSame(one, same)).toBe(true);
    expect(isSame(one, other)).toBe(false);
  }
  expect(read).toBe(2);
});

test('what is not there is compared as well', () => {
  const isSame = judgedOnce();
  expect([isSame(undefined, undefined), isSame(templateOf({ a: 'b' }), undefined)]).toEqual([true, false]);
});
