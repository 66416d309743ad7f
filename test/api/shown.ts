/** Texts of kubectl without what differs from run to run. */
export const steady = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\bherd-\w{5}\b/g, 'NAMESPACE')
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
    .replace(/Resource Version: +\d+/g, 'Resource Version: VERSION')
    .split('\n')
    .map((line) =>
      line
        .replace(/\b\d+m?\d*s\b( \(x\d+ over \w+\))?/g, 'AGE')
        .replace(/ {2,}/g, (gap, at) => (at === 0 ? gap : '  ')),
    )
    .map((line) => line.trimEnd())
    .join('\n');

/** Of `kubectl describe`, without the conditions that say nothing: satisfied, or not reached. A further step is no news. */
export const telling = (described: string): string =>
  described.replace(
    / {4}Last Transition Time: .*\n(?: {4}Message: .*\n)? {4}Reason: +(\w+)\n {4}Status: +\w+\n {4}Type: +(\w+)\n/g,
    (block, reason, type) => (reason === type || reason === 'NotReached' ? '' : block),
  );
