import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeChart } from './certmanager.ts';

const folder = mkdtempSync(join(tmpdir(), 'cert-manager-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sources = {
  'deploy/charts/cert-manager/Chart.template.yaml': 'name: cert-manager\nversion: v0.1.0\nappVersion: v0.1.0\n',
  'deploy/charts/cert-manager/values.yaml': 'a: 1\n',
  'deploy/charts/cert-manager/templates/_helpers.tpl': '',
  'deploy/charts/cert-manager/templates/deployment.yaml': 'kind: Deployment\n',
  'deploy/crds/crd-issuers.yaml': 'kind: CustomResourceDefinition\n',
  'deploy/crds/README.md': '',
};

test('the chart is that of a release: with its version, and the CRDs among its templates', () => {
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const chart = writeChart(folder, { folder: join(folder, 'made'), version: '1.2.3' });
  expect(readFileSync(join(chart, 'Chart.yaml'), 'utf8')).toBe(
    'name: cert-manager\nversion: v1.2.3\nappVersion: v1.2.3\n',
  );
  expect(readdirSync(chart, { recursive: true }).sort()).toEqual([
    'Chart.yaml',
    'templates',
    'templates/_helpers.tpl',
    'templates/crd-issuers.yaml',
    'templates/deployment.yaml',
    'values.yaml',
  ]);
});
