import { afterAll, beforeAll, describe } from 'bun:test';
import { nodeAttacks, secretAttacks, webhookAttacks } from './accounts.ts';
import type { Attack } from './attack.ts';
import { claimAttacks } from './claims.ts';
import { forgeryAttacks } from './forging.ts';
import { keyAttacks } from './keys.ts';
import { reachAttacks } from './reach.ts';
import { type Hostile, startHostile } from './scene.ts';
import { tried } from './tried.ts';

/** What a tenant may try, and who has taken a pod of ours, on a real API server with the chart's own roles and policies, against both programs. */

let hostile: Hostile;

beforeAll(async () => {
  hostile = await startHostile();
}, 120_000);

afterAll(() => hostile?.end());

describe.each<[string, readonly Attack[]]>([
  ['privilege', keyAttacks],
  ['claims', claimAttacks],
  ['what is elsewhere', reachAttacks],
  ['forgeries', forgeryAttacks],
])('a tenant who wants %s', (_what, attacks) => tried(attacks, () => hostile));

describe.each<[string, readonly Attack[]]>([
  ['the controller’s pod, to get at Nodes', nodeAttacks],
  ['the controller’s pod, to get at Secrets', secretAttacks],
  ['the webhook’s pod', webhookAttacks],
])('somebody who has taken %s', (_what, attacks) => tried(attacks, () => hostile));
