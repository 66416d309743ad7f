import { expect, test } from 'bun:test';
import { atPort } from './registration.ts';

test('only the way to the webhook differs from the chart', () => {
  const registration = {
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'drover' },
    webhooks: [{ failurePolicy: 'Fail', clientConfig: { service: { path: '/validate' } } }],
  };
  expect<unknown>(atPort(registration, 1234)).toEqual({
    ...registration,
    webhooks: [{ failurePolicy: 'Fail', clientConfig: { url: 'https://127.0.0.1:1234/validate' } }],
  });
});
