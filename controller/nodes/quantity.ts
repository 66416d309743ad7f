/** The suffixes of a quantity (apimachinery `resource.Quantity`), each a power of a base. */
const SUFFIXES: Readonly<Record<string, readonly [base: 2 | 10, power: number]>> = {
  n: [10, -9],
  u: [10, -6],
  m: [10, -3],
  '': [10, 0],
  k: [10, 3],
  M: [10, 6],
  G: [10, 9],
  T: [10, 12],
  P: [10, 15],
  E: [10, 18],
  Ki: [2, 10],
  Mi: [2, 20],
  Gi: [2, 30],
  Ti: [2, 40],
  Pi: [2, 50],
  Ei: [2, 60],
};

/** No amount is larger for Kubernetes, and none of a Node finer than a thousandth, to which it rounds up; here in thousandths. */
const MOST = (2n ** 63n - 1n) * 1000n;

/** More digits than this before the decimal point are above the most; an exponent that is as small makes any amount the least. */
const FAR = 40;

interface Parts {
  sign: string;
  whole: string;
  fraction: string;
  exponent: number;
  suffix: readonly [base: 2 | 10, power: number];
}

/** The number that a quantity such as `500m`, `4Gi` or `1e3` means; NaN when it is none. */
export function amountOf(quantity: string | number): number {
  const parts = partsOf(quantity);
  if (!parts) return NaN;
  const { sign, whole, fraction, exponent, suffix } = parts;
  const [base, power] = suffix;
  const number = Number(`${sign}${whole}.${fraction}e${exponent + (base === 10 ? power : 0)}`);
  return base === 10 ? number : number * base ** power;
}

/** The same amount as a Node has it: the API server writes quantities in its own way, `1000` as `1k` and `100u` as `1m`. */
export function isSameAmount(a: string | number, b: string | number): boolean {
  if (a === b) return true;
  const thousandths = thousandthsOf(a);
  return thousandths !== undefined && thousandths === thousandthsOf(b);
}

function partsOf(quantity: string | number): Parts | undefined {
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?([A-Za-z]*)$/.exec(`${quantity}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0', name = ''] = found ?? [];
  const suffix = Object.hasOwn(SUFFIXES, name) ? SUFFIXES[name] : undefined;
  if (!found || !suffix || whole + fraction === '') return undefined;
  return { sign, whole, fraction, exponent: Number(exponent), suffix };
}

function thousandthsOf(quantity: string | number): bigint | undefined {
  const parts = partsOf(quantity);
  if (!parts) return undefined;
  const { sign, whole, fraction, exponent, suffix } = parts;
  const [base, power] = suffix;
  const digits = (whole + fraction).replace(/^0+/, '');
  const tens = 3 + exponent - fraction.length + (base === 10 ? power : 0);
  const factor = base === 2 ? 2n ** BigInt(power) : 1n;
  const amount = digits === '' ? 0n : roundedUp(digits, { tens, factor });
  return sign === '-' ? -amount : amount;
}

/** The digits times the factor and a power of ten, as a whole number. */
function roundedUp(digits: string, { tens, factor }: { tens: number; factor: bigint }): bigint {
  if (digits.length + tens > FAR) return MOST;
  if (digits.length + tens < -FAR) return 1n;
  const number = BigInt(digits) * factor;
  const divisor = tens < 0 ? 10n ** BigInt(-tens) : 1n;
  const amount = tens < 0 ? (number + divisor - 1n) / divisor : number * 10n ** BigInt(tens);
  return amount > MOST ? MOST : amount;
}
