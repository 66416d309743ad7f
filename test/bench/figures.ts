/** What a bench found: plain numbers whose names carry their unit, grouped as deep as it helps. */
export interface Figures {
  readonly [name: string]: number | Figures;
}

/** The figures with four significant digits each: more than a noisy machine can tell anyway. */
export function rounded(figures: Figures): Figures {
  const entries = Object.entries(figures).map(([name, value]) => [
    name,
    typeof value === 'number' ? Number(value.toPrecision(4)) : rounded(value),
  ]);
  return Object.fromEntries(entries);
}

/** The value below which a share of all values lie, such as 0.99 of them; 0 when there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
