import { describe, expect, test } from 'bun:test';
import { type Code, classOf, codes, DriverError, toDriverError } from './errors.ts';

describe('The codes', () => {
  test('carry the numbers 0 to 17 of the wire, each once', () => {
    expect(Object.values(codes)).toEqual<number[]>(Array.from({ length: 18 }, (_, number) => number));
  });

  const named: Array<[Code, number]> = [
    ['OK', 0],
    ['InvalidArgument', 3],
    ['NotFound', 5],
    ['ResourceExhausted', 8],
    ['Unauthenticated', 16],
    ['Uninitialized', 17],
  ];
  test.each(named)('call %s by the number %i', (name, number) => expect(codes[name]).toBe<number>(number));
});

describe('The class of a code', () => {
  const rows: Array<[Code, string, ReturnType<typeof classOf>]> = [
    ['Unknown', 'createMachine', 'transient'],
    ['DeadlineExceeded', 'createMachine', 'transient'],
    ['Aborted', 'deleteMachine', 'transient'],
    ['Unavailable', 'listMachines', 'transient'],
    ['ResourceExhausted', 'createMachine', 'exhausted'],
    ['NotFound', 'getMachineStatus', 'absent'],
    ['Uninitialized', 'getMachineStatus', 'uninitialized'],
    ['InvalidArgument', 'createMachine', 'permanent'],
    ['AlreadyExists', 'createMachine', 'permanent'],
    ['PermissionDenied', 'createMachine', 'permanent'],
    ['FailedPrecondition', 'createMachine', 'permanent'],
    ['Unimplemented', 'createMachine', 'permanent'],
    ['DataLoss', 'createMachine', 'permanent'],
    ['Unauthenticated', 'createMachine', 'permanent'],
    ['Canceled', 'createMachine', 'permanent'],
    ['Internal', 'createMachine', 'permanent'],
    ['Internal', 'initializeMachine', 'transient'],
    ['OutOfRange', 'createMachine', 'permanent'],
    ['OutOfRange', 'getMachineStatus', 'transient'],
  ];
  test.each(rows)('of %s by %s is %s', (code, method, expected) => expect(classOf(code, method)).toBe(expected));
});

describe('Any thrown value as a DriverError', () => {
  test('keeps a DriverError as it is', () => {
    const error = new DriverError('Uninitialized', 'no address yet', { known: { providerID: 'virtual:///1' } });
    expect(toDriverError(error)).toBe(error);
    expect(error.known).toEqual({ providerID: 'virtual:///1' });
  });

  test('calls a call that was cut short DeadlineExceeded', () => {
    expect(toDriverError(AbortSignal.abort().reason).code).toBe('DeadlineExceeded');
    expect(toDriverError(new DOMException('too late', 'TimeoutError')).code).toBe('DeadlineExceeded');
  });

  const unclassified: Array<[string, unknown, string]> = [
    ['an error', new Error('socket closed'), 'socket closed'],
    ['a string', 'socket closed', 'socket closed'],
    ['undefined', undefined, 'undefined'],
  ];
  test.each(unclassified)('calls %s Unknown and keeps it as the cause', (_what, thrown, message) => {
    const error = toDriverError(thrown);
    expect(error).toMatchObject({ code: 'Unknown', message });
    expect(error.cause).toBe(thrown);
  });
});
