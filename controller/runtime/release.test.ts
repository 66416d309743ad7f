import { expect, test } from 'bun:test';
import { version as of } from '../../package.json';
import { askGit, release, version } from './release.ts';

test('the version is that of package.json', () => {
  expect(version).toBe(of);
});

test('a release is told by version, commit, Bun and platform', () => {
  const commit = askGit() || 'commit not known';
  expect(release()).toBe(`drover ${of} (${commit}, Bun ${Bun.version}, ${process.platform}/${process.arch})`);
});

test('git tells the commit, and whether files were changed since', () => {
  expect(askGit()).toMatch(/^([0-9a-f]{12,}(-dirty)?)?$/);
});
