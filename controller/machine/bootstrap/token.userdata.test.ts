import { describe, expect, test } from 'bun:test';
import { personalized, wantsToken } from './token.ts';

const me = { machineName: 'm-1', token: 'abcdef.0123456789abcdef' };

describe('user data (hack/spec/mcm.md 6.13)', () => {
  test.each([
    ['with a mark for a token', 'join <<BOOTSTRAP_TOKEN>>', 'join abcdef.0123456789abcdef', true],
    ['with several marks', '<<BOOTSTRAP_TOKEN>> <<BOOTSTRAP_TOKEN>>', `${me.token} ${me.token}`, true],
    ['with a mark in a URL', 'x=%3C%3CBOOTSTRAP_TOKEN%3E%3E&y', `x=${me.token}&y`, true],
    ['with a mark for the name', 'name <<MACHINE_NAME>>', 'name m-1', false],
    ['with a mark for the name in a URL', 'name=%3C%3CMACHINE_NAME%3E%3E', 'name=m-1', false],
    ['with both', '<<MACHINE_NAME>>: <<BOOTSTRAP_TOKEN>>', `m-1: ${me.token}`, true],
    ['without marks', '#cloud-config <<OTHER>>', '#cloud-config <<OTHER>>', false],
    ['that is empty', '', '', false],
  ])('%s', (_what, userData, becomes, wants) => {
    expect(personalized({ userData }, me)).toEqual({ userData: becomes });
    expect(wantsToken({ userData })).toBe(wants);
  });

  test('that is missing asks for nothing and stays missing: its driver decides', () => {
    expect(personalized({ key: '<<MACHINE_NAME>>' }, me)).toEqual({ key: '<<MACHINE_NAME>>' });
    expect(wantsToken({ key: '<<BOOTSTRAP_TOKEN>>' })).toBe(false);
  });

  test('keeps its mark for a token where there is no target cluster', () =>
    expect(personalized({ userData: '<<BOOTSTRAP_TOKEN>>' }, { machineName: 'm' }).userData).toBe(
      '<<BOOTSTRAP_TOKEN>>',
    ));

  test('is put into a copy', () => {
    const data = { userData: '<<MACHINE_NAME>>' };
    personalized(data, me);
    expect(data.userData).toBe('<<MACHINE_NAME>>');
  });

  test('takes words with $ as they are', () =>
    expect(personalized({ userData: '<<MACHINE_NAME>>' }, { machineName: '$&' }).userData).toBe('$&'));
});
