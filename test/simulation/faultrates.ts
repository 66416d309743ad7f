import type { Chance } from './chance.ts';

/** How often things go wrong, as probabilities; all 0 once the faults have stopped. */
export interface FaultRates {
  /** Of requests to API servers: the request never arrives, its answer never does, or the server answers an error. */
  lostRequest: number;
  lostAnswer: number;
  refused: number;
  /** Of writes: somebody was quicker, although nobody was. */
  conflict: number;
  /** Of lines of watches: the connection breaks, falls silent, or says the line again. */
  watchBreaks: number;
  watchStalls: number;
  repeatedLine: number;
  /** Of driver calls: an error before or after the effect, no answer at all, a thrown thing that is no DriverError. */
  driverError: number;
  driverLostAnswer: number;
  driverHang: number;
  driverThrow: number;
}

/** Nothing goes wrong. */
export const noFaults: FaultRates = {
  lostRequest: 0,
  lostAnswer: 0,
  refused: 0,
  conflict: 0,
  watchBreaks: 0,
  watchStalls: 0,
  repeatedLine: 0,
  driverError: 0,
  driverLostAnswer: 0,
  driverHang: 0,
  driverThrow: 0,
};

/** The worst of each. */
const worst: FaultRates = {
  lostRequest: 0.04,
  lostAnswer: 0.06,
  refused: 0.06,
  conflict: 0.08,
  watchBreaks: 0.04,
  watchStalls: 0.01,
  repeatedLine: 0.1,
  driverError: 0.3,
  driverLostAnswer: 0.2,
  driverHang: 0.05,
  driverThrow: 0.05,
};

/** The rates of a run: each fault is absent in a third of the runs. */
export function faultRatesOf(chance: Chance): FaultRates {
  const entries = Object.entries(worst).map(([fault, rate]) => {
    const share = chance.happens(1 / 3) ? 0 : chance.between(0, 1);
    return [fault, rate * share];
  });
  return Object.fromEntries(entries) as unknown as FaultRates;
}
