import { describe, expect, test } from 'bun:test';
import { type Code, classOf, codes, DriverError, decode, encode, toDriverError } from './codes.ts';

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

describe('The text form (MCM 9.2; Annex B, status decoding)', () => {
  test('reads as MCM writes it', () => {
    expect(encode({ code: 'ResourceExhausted', message: 'no room in zone a' })).toBe(
      'machine codes error: code = [ResourceExhausted] message = [no room in zone a]',
    );
  });

  test.each(Object.keys(codes) as Code[])('of %s is read back', (code) => {
    const error = { code, message: `what [went] wrong with ${code}` };
    expect(decode(encode(error))).toEqual(error);
  });

  const readable: Array<[string, string, ReturnType<typeof decode>]> = [
    [
      'MCM Annex B: nested brackets belong to the message',
      'machine codes error: code = [ResourceExhausted] message = [quota [cpu] hit]',
      { code: 'ResourceExhausted', message: 'quota [cpu] hit' },
    ],
    [
      'brackets nest to any depth',
      'code = [Internal] message = [a [b [c]] [d]]',
      { code: 'Internal', message: 'a [b [c]] [d]' },
    ],
    ['an empty message is a message', 'code = [Unavailable] message = []', { code: 'Unavailable', message: '' }],
    [
      'an unmatched closing bracket is ignored',
      'a] code = [NotFound] ] message = [m]',
      { code: 'NotFound', message: 'm' },
    ],
    ['an unknown name is Unknown', 'code = [Teapot] message = [short]', { code: 'Unknown', message: 'short' }],
    ['a name that every object has is Unknown', 'code = [toString] message = [m]', { code: 'Unknown', message: 'm' }],
    [
      'a number that no name stands for is Unknown',
      'code = [Code(42)] message = [m]',
      { code: 'Unknown', message: 'm' },
    ],
    [
      'characters beyond the BMP stay whole',
      'code = [Internal] message = [🐑 [🐕]]',
      { code: 'Internal', message: '🐑 [🐕]' },
    ],
  ];
  test.each(readable)('%s', (_what, text, expected) => expect(decode(text)).toEqual(expected));

  const unreadable: Array<[string, string]> = [
    [
      'a third top-level group (MCM Annex B)',
      'machine codes error: code = [ResourceExhausted] message = [quota [cpu] hit] details [x]',
    ],
    ['a single group', 'code = [Internal]'],
    ['no group at all', 'connection refused'],
    ['no text', ''],
    ['an unbalanced opening bracket in the message', 'code = [Internal] message = [a [b]'],
  ];
  test.each(unreadable)('is not seen in a text with %s', (_what, text) => expect(decode(text)).toBeUndefined());
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
