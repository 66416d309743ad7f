/** What an object or list takes beside its parts, and a value that is no text, in bytes; roughly as JavaScriptCore has it. */
const COSTS = { map: 48, value: 8, text: 24 };

/** About how many bytes a value of JSON takes in memory: enough to tell a herd from an attack. */
export function weightOf(value: unknown): number {
  const open: unknown[] = [value];
  let weight = 0;
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next === 'string') weight += COSTS.text + next.length;
    else if (typeof next !== 'object' || next === null) weight += COSTS.value;
    else {
      weight += COSTS.map;
      for (const [key, part] of Object.entries(next)) {
        weight += key.length;
        open.push(part ?? null);
      }
    }
  }
  return weight;
}
