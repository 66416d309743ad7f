/** Factors of the suffixes of a quantity (apimachinery `resource.Quantity`). */
const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a quantity such as `500m`, `4Gi` or `1e3` means; NaN when it is none. */
export function amountOf(quantity: string | number): number {
  const [, number, suffix = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(`${quantity}`) ?? [];
  return Number(number ?? NaN) * (FACTORS[suffix] ?? NaN);
}

/** The same amount: the API server writes quantities in its own way, `1000` as `1k`. */
export const isSameAmount = (a: string | number, b: string | number): boolean => a === b || amountOf(a) === amountOf(b);
