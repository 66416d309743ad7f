import { expect, test } from 'bun:test';
import { StoryRoom } from './record.ts';

const MOST = 8;
const of = (namespace: string) => ({ namespace, most: MOST });

/** A room that stories of `flood` fill. */
function full(): StoryRoom {
  const room = new StoryRoom();
  for (let n = 0; n < MOST; n++) expect(room.enter(`flood-${n}`, of('flood'))).toEqual({ waits: true });
  return room;
}

// hack/decisions/0028 T29
test('where there is no room, the namespace of which most wait gives way, and it alone', () => {
  const room = full();
  expect(room.enter('flood-8', of('flood'))).toEqual({ waits: false });
  const gaveWay = Array.from({ length: 5 }, (_, n) => room.enter(`quiet-${n}`, of('quiet')));
  expect(gaveWay).toEqual([
    { waits: true, givesWay: 'flood-0' },
    { waits: true, givesWay: 'flood-1' },
    { waits: true, givesWay: 'flood-2' },
    { waits: true, givesWay: 'flood-3' },
    { waits: false },
  ]);
  expect(room.enter('third', of('third'))).toEqual({ waits: true, givesWay: 'flood-4' });
});

test('one that waits takes no more room, and one that left leaves it to anybody', () => {
  const room = full();
  expect(room.enter('flood-3', of('flood'))).toEqual({ waits: true });
  room.leave('flood-3');
  room.leave('unknown');
  expect(room.enter('flood-8', of('flood'))).toEqual({ waits: true });
  expect(room.enter('flood-9', of('flood'))).toEqual({ waits: false });
});
