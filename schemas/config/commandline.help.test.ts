import { describe, expect, test } from 'bun:test';
import { helpText } from './commandline.ts';
import { controllerProgram } from './controller.ts';
import { flagsOf } from './program.ts';
import { webhookProgram } from './webhook.ts';

describe.each([
  ['the controller', controllerProgram],
  ['the webhook', webhookProgram],
])('%s', (_name, program) => {
  test('has a help text that names each flag and variable', () => {
    const help = helpText(program);
    for (const { flag } of flagsOf(program)) expect(help).toContain(`  --${flag} <`);
    for (const { env } of flagsOf(program)) expect(help).toContain(`  ${env}\n`);
  });

  test('says of each flag what it takes and what it does, in a sentence', () => {
    for (const { takes, description } of flagsOf(program)) {
      expect(takes).not.toBe('undefined');
      expect(description).toMatch(/^[A-Z].+\.$/);
    }
  });

  test('ignores no flag that it has', () => {
    const names = flagsOf(program).map(({ flag }) => flag);
    expect(program.ignored.filter(({ flag }) => names.includes(flag))).toEqual([]);
  });
});

test('a paragraph of help', () => {
  expect(helpText(controllerProgram)).toContain(
    '\n\n  --min-resync-period <duration>  DROVER_MIN_RESYNC_PERIOD\n' +
      '      How often every object is looked at again although nothing changed. (default 12h)\n\n',
  );
});
