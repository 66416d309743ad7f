import { expect, test } from 'bun:test';
import { chooseKubernetes } from './controlplane.ts';

test.each([
  ['nothing asked and no data', undefined, undefined, '1.36.2'],
  ['one asked and no data', '1.35.4', undefined, '1.35.4'],
  ['nothing asked and data', undefined, '1.35.4', '1.35.4'],
  ['the version of the data asked', '1.35.4', '1.35.4', '1.35.4'],
])('with %s', (_what, asked, written, chosen) => {
  expect(chooseKubernetes(asked, written)).toBe(chosen);
});

test('another version than that of the data is refused with what to do', () => {
  expect(() => chooseKubernetes('1.36.2', '1.35.4')).toThrow(
    'The data under .drover/ was written by Kubernetes 1.35.4, not 1.36.2. ' +
      'Call ./hack/down --purge to begin anew with 1.36.2, or go on with ./hack/up --k8s 1.35.4.',
  );
});
