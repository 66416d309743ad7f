import { expect, test } from 'bun:test';
import { hasSysResource } from './docker.ts';

test.each([
  ['CapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\n', true],
  ['CapEff:\t000001ffffffffff\nCapBnd:\t000001fffeffffff\n', false],
  ['CapBnd:\t0000000001000000\n', true],
  ['Name:\tdocker\n', true],
])('a status %j has CAP_SYS_RESOURCE: %p', (status, has) => expect(hasSysResource(status)).toBe(has));
