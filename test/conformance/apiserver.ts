import { beforeAll, describe } from 'bun:test';
import type { Connection } from '../../controller/runtime/client/connection.ts';
import { bearing } from './apiserver/bearing.ts';
import { deletions } from './apiserver/deletions.ts';
import { evictions } from './apiserver/evictions.ts';
import { Farm } from './apiserver/farm.ts';
import { lists } from './apiserver/lists.ts';
import { patches } from './apiserver/patches.ts';
import { updates } from './apiserver/updates.ts';
import { watches } from './apiserver/watches.ts';

/** An API server to put to the test, and a namespace of it that nobody else uses. */
export interface Place {
  connection: Connection;
  namespace: string;
}

/**
 * What the controller relies on in an API server. The same promises are shown on a real one (test/api) and on the one in
 * memory that the simulation runs on (test/world), so that the two cannot drift apart.
 */
export function apiServerConformance(name: string, start: () => Promise<Place>): void {
  const farm = new Farm();
  describe(name, () => {
    beforeAll(async () => farm.settle(await start()), 60_000);
    describe('makes objects', () => bearing(farm));
    describe('replaces objects', () => updates(farm));
    describe('patches objects', () => patches(farm));
    describe('deletes objects', () => deletions(farm));
    describe('lists objects', () => lists(farm));
    describe('tells what happens', () => watches(farm));
    describe('evicts pods', () => evictions(farm));
  });
}
