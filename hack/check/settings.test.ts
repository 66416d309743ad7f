import { afterAll, expect, test } from 'bun:test';
import { settingsLint } from './settings.ts';
import { Parser, type Texts } from './source.ts';

const parser = new Parser();
afterAll(() => parser.close());

const declared = { 'schemas/config/controller.ts': "const entries = { port: setting(port, '1') };" };
const unread = ['no program reads the setting port: read it, or take it out'];

const rows: Array<[string, Texts, string[]]> = [
  ['nobody reads', declared, unread],
  ['only a test reads', { ...declared, 'controller/a.test.ts': 'settings.port;' }, unread],
  ['only the schema reads', { ...declared, 'schemas/config.ts': 'settings.port;' }, unread],
  ['shares its name with what is read of another thing', { ...declared, 'controller/a.ts': 'server.port;' }, unread],
  ['is written to, and not read', { ...declared, 'controller/a.ts': 'start({ port: 1 });' }, unread],
  ['is read', { ...declared, 'webhook/a.ts': 'settings.port;' }, []],
  ['is read of a part', { ...declared, 'controller/a.ts': 'process.settings.port;' }, []],
  ['is taken out', { ...declared, 'controller/a.ts': 'const { port: on } = parts.settings;' }, []],
  ['is taken out of parts', { ...declared, 'controller/a.ts': 'function f({ settings: { port } }: Parts) {}' }, []],
  [
    'is taken out by its type',
    { ...declared, 'controller/a.ts': 'const f = ({ port }: ControllerSettings) => 1;' },
    [],
  ],
  ['is read by its type', { ...declared, 'controller/a.ts': 'const f = (given: CheckSettings) => given.port;' }, []],
];

test.each(rows)('a setting that %s', async (_what, texts, message) => {
  expect(settingsLint(await parser.parse(texts)).map((finding) => finding.message)).toEqual(message);
});
