import { expect, test } from 'bun:test';
import { ANNOTATION_PAUSED, LABEL_CANDIDATE, LABEL_SELECTED } from '../../schemas/keys.ts';
import { Life, VM } from './life.fixture.ts';
import { cloudOf } from './lifecloud.fixture.ts';

// hack/decisions/0051 L129
test('a Node that was emptied for an update in place, and uncordoned while its machine was paused, is emptied again before the agent begins', async () => {
  const life = new Life(cloudOf(VM));
  await life.pass(5);
  await life.register();
  await life.pass(30);
  await life.changeNode({ metadata: { labels: { [LABEL_CANDIDATE]: 'true' } } });
  await life.pass(10);
  await life.changeNode({ metadata: { labels: { [LABEL_SELECTED]: 'true' } } });
  const reason = async () =>
    (await life.node()).status?.conditions?.find(({ type }) => type === 'InPlaceUpdate')?.reason;
  for (let i = 0; i < 600 && (await reason()) !== 'DrainSuccessful'; i++) await life.pass(0.001);
  expect([await reason(), (await life.node()).spec?.unschedulable]).toEqual(['DrainSuccessful', true]);
  await life.change({ metadata: { annotations: { [ANNOTATION_PAUSED]: '' } } });
  await life.pass(600);
  expect(await reason()).toBe('DrainSuccessful');
  await life.changeNode({ spec: { unschedulable: null } });
  await life.bind('after');
  await life.pass(600);
  await life.change({ metadata: { annotations: { [ANNOTATION_PAUSED]: null } } });
  await life.pass(30);
  expect([await reason(), await life.podNames()]).toEqual(['ReadyForUpdate', []]);
  expect((await life.node()).spec?.unschedulable).toBe(true);
});
