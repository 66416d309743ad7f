import { expect, test } from 'bun:test';
import { machineDeployment } from '../../../test/fixtures/objects.ts';
import { judgedOnce } from './revision.ts';

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

// hack/decisions/0028 T53 and T67: twenty sets with 35,000 annotations each were compared anew several times in each look.
test('each of some templates is gone through once, whatever they have, and after a patch only the new one', () => {
  const isSame = judgedOnce();
  const read = [0, 0];
  const [same, other] = ['b', 'c'].map((a, at) =>
    templateOf({ a }, () => {
      read[at] = (read[at] ?? 0) + 1;
    }),
  );
  for (let patch = 0; patch < 3; patch++) {
    const one = templateOf({ a: 'b' });
    expect([isSame(one, same), isSame(one, other), isSame(other, one)]).toEqual([true, false, false]);
  }
  expect(read).toEqual([1, 1]);
});

test('what is not there is compared as well', () => {
  const isSame = judgedOnce();
  expect([isSame(undefined, undefined), isSame(templateOf({ a: 'b' }), undefined)]).toEqual([true, false]);
});
