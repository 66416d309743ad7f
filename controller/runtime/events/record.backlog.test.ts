import { expect, test } from 'bun:test';
import { Backlog } from './record.ts';

const MOST = 8;
const of = (namespace: string) => ({ namespace, most: MOST });

/** A backlog full of series of the namespace `flood`. */
function full(): Backlog {
  const backlog = new Backlog();
  for (let n = 0; n < MOST; n++) expect(backlog.add(`flood-${n}`, of('flood'))).toEqual({ waits: true });
  return backlog;
}

// hack/decisions/0028 T29
test('when it is full, the namespace with the most series loses one, and no other does', () => {
  const backlog = full();
  expect(backlog.add('flood-8', of('flood'))).toEqual({ waits: false });
  const added = Array.from({ length: 5 }, (_, n) => backlog.add(`quiet-${n}`, of('quiet')));
  expect(added).toEqual([
    { waits: true, dropped: 'flood-0' },
    { waits: true, dropped: 'flood-1' },
    { waits: true, dropped: 'flood-2' },
    { waits: true, dropped: 'flood-3' },
    { waits: false },
  ]);
  expect(backlog.add('third', of('third'))).toEqual({ waits: true, dropped: 'flood-4' });
});

test('a series that waits already takes no second place, and one that was removed frees its own', () => {
  const backlog = full();
  expect(backlog.add('flood-3', of('flood'))).toEqual({ waits: true });
  backlog.remove('flood-3');
  backlog.remove('unknown');
  expect(backlog.add('flood-8', of('flood'))).toEqual({ waits: true });
  expect(backlog.add('flood-9', of('flood'))).toEqual({ waits: false });
});
