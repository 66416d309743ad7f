import { expect, test } from 'bun:test';
import type { ReachFact } from '../../runtime/health/probe.ts';
import { gateOf } from './gate.ts';

const up = (backSince = 0): ReachFact => ({ backSince });
const away = (unreachableSince: number, backSince = 0): ReachFact => ({ unreachableSince, backSince });
const control = (since: number) => ({ unreachable: 'control', since }) as const;
const target = (since: number) => ({ unreachable: 'target', since }) as const;

test.each<[what: string, control: ReachFact, target: ReachFact | undefined, gate: ReturnType<typeof gateOf>]>([
  ['both answer', up(10), up(20), { judgesFrom: 20 }],
  ['no target cluster', up(10), undefined, { judgesFrom: 10 }],
  ['a target that was away for 30 s is a blip', up(), away(70_000), { judgesFrom: 0 }],
  ['a target that is away for more', up(5), away(69_999), { shut: target(69_999), judgesFrom: 5 }],
  ['the control server', away(69_999), up(), { shut: control(69_999), judgesFrom: 0 }],
  ['both', away(60_000, 7), away(50_000, 8), { shut: control(60_000), judgesFrom: 8 }],
])('%s', (_, controlFact, targetFact, gate) => {
  expect(gateOf({ control: controlFact, target: targetFact }, { now: 100_000, unreachableAfterMs: 30_000 })).toEqual(
    gate,
  );
});
