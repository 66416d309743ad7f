import { expect, test } from 'bun:test';
import { changesOf } from './changes.ts';

test('each entry of a release is told by its first sentence, without Markdown', () => {
  const changelog = `# Changelog

## Unreleased

### Added

- Not yet.

## 0.2.0 (2026-12-01)

### Upgrade notes

- Nothing to do.

### Added

- **Alerts**: rules for \`Prometheus\`, made
  from tables. [More](alerts.md).

### Fixed

- A crash at 1.5 s. It was rare.

## 0.1.0

### Added

- Everything.
`;
  expect(changesOf('0.2.0', changelog)).toEqual([
    { kind: 'added', description: 'Alerts: rules for Prometheus, made from tables' },
    { kind: 'fixed', description: 'A crash at 1.5 s' },
  ]);
  expect(changesOf('0.3.0', changelog)).toEqual([]);
});
