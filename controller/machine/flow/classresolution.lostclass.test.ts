import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { messageOf } from '../../flow/flow.ts';
import { leaver } from './drain.fixture.ts';
import { plan } from './flow.ts';
import { view } from './view.fixture.ts';

// hack/decisions/0051 U51: a Machine that MCM made and was deleting when its class went: nothing of the class stands on it, and it waits for ever, by force, too
// (hack/spec/mcm.md 13.5). Of a missing Secret the sentence says what to do; of a missing class it does not, the reference says that the
// machine "leaves, without it", and the page on what does not go away is silent.
const { 'protected.drover.dev/machine-class': _, ...annotations } = leaver().metadata.annotations ?? {};
const before = leaver({ metadata: { labels: { node: 'm', 'force-deletion': 'True' } } });
const ofMcm = { ...before, metadata: { ...before.metadata, annotations } };
const decision = plan(view({ machine: ofMcm, node: { at: 'absent' }, class: { at: 'missing', name: 'small' } }));
const page = readFileSync(`${import.meta.dir}/../../../charts/drover/TROUBLESHOOTING.md`, 'utf8');

test('it waits', () => {
  expect([decision.step, 'reason' in decision.outcome && decision.outcome.reason]).toEqual([
    'VMDeleted',
    'ClassNotFound',
  ]);
});

test('a machine that leaves, and whose class is gone, says what to do', () => {
  expect(messageOf(decision)).toMatch(/make it|once it is there/);
});

test('the page on what does not go away has a row for it', () => {
  const [, table = ''] = page.split('## An object does not go away');
  expect(table.split('\n## ')[0]).toContain('`ClassNotFound`');
});
