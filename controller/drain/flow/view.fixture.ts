import { BORN } from '../../../test/fixtures/objects.ts';
import type { DrainView, HandoverFact, PodFact } from './view.ts';

/** The moment of the views. */
export const NOW = BORN + 60_000;

/** A pod that nobody has asked to leave. */
export const pod = (name: string, changes: Partial<PodFact> = {}): PodFact => ({
  namespace: 'shop',
  name,
  uid: `uid-${name}`,
  priority: 0,
  graceMs: 30_000,
  killed: false,
  claims: [],
  lookedUp: 'known',
  serial: false,
  followed: false,
  retryAt: Number.NEGATIVE_INFINITY,
  deleteAt: Number.NEGATIVE_INFINITY,
  ...changes,
});

/** A pod with a volume. */
export const heavy = (name: string, changes: Partial<PodFact> = {}): PodFact =>
  pod(name, { serial: true, claims: [name], ...changes });

/** Volumes of the pod `shop/db` that have just begun to move. */
export const moving = (changes: Partial<HandoverFact> = {}): HandoverFact => ({
  pod: 'shop/db',
  here: true,
  elsewhere: false,
  detachBy: NOW + 150_000,
  ...changes,
});

/** A drain with MCM's settings that began just now, of a Node on which nothing runs. */
export const drain = (changes: Partial<DrainView> = {}): DrainView => ({
  now: NOW,
  deadline: NOW + 7_200_000,
  forced: false,
  podsKnown: true,
  pods: [],
  listed: { due: false, unseen: { count: 0, some: [] } },
  attachments: [],
  lookUp: [],
  volumesLate: false,
  room: { eviction: { first: 16, again: 16 }, deletion: { first: 16, again: 16 } },
  reportDue: false,
  limits: { timeoutMs: 7_200_000, detachMs: 120_000, reattachMs: 90_000, refusedMs: Infinity },
  ...changes,
});
