import { describe, expect, test } from 'bun:test';
import { complaintOf, literalOf, trustIn } from './embedded.ts';

// hack/decisions/0028 W7

const nobody = trustIn([]);

describe('an address', () => {
  test.each([
    ['127.0.0.1', 'a loopback address'],
    ['127.255.255.254', 'a loopback address'],
    ['::1', 'a loopback address'],
    ['0:0:0:0:0:0:0:1', 'a loopback address'],
    ['::ffff:127.0.0.1', 'a loopback address'],
    ['::ffff:7f00:1', 'a loopback address'],
    ['::127.0.0.1', 'a loopback address'],
    ['::ffff:0:127.0.0.1', 'a loopback address'],
    ['64:ff9b::127.0.0.1', 'a loopback address'],
    ['2002:7f00:1::1', 'a loopback address'],
    ['169.254.169.254', 'a link-local address'],
    ['64:ff9b::a9fe:a9fe', 'a link-local address'],
    ['fe80::1', 'a link-local address'],
    ['fec0::1', 'a site-local address'],
    ['64:ff9b:1::a9fe:a9fe', 'a translated address'],
    ['2001::5601:5601', 'a translated address'],
    ['fd00:ec2::23', "the address of a cloud's metadata service"],
    ['fe80::1%eth0', 'a link-local address'],
    ['febf::1', 'a link-local address'],
    ['0.0.0.0', 'no address of a host'],
    ['::', 'no address of a host'],
    ['224.0.0.1', 'no address of a host'],
    ['ff02::1', 'no address of a host'],
    ['255.255.255.255', 'no address of a host'],
    ['fd00:ec2::254', "the address of a cloud's metadata service"],
  ])('%s is refused', (address, is) => {
    expect(complaintOf(address, nobody)).toBe(is);
  });

  test.each([
    '8.8.8.8',
    '10.0.0.1',
    '10.96.0.1',
    '192.168.1.1',
    '2001:db8::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '2002:a00:1::1',
  ])('%s is taken', (address) => {
    expect(complaintOf(address, nobody)).toBeUndefined();
  });

  test.each([
    ['127.0.0.1', '127.0.0.0/8'],
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.0/8'],
    ['fe80::1', 'fe80::/10'],
    ['fe80::1%eth0', 'fe80::/10'],
  ])('%s is taken where %s is trusted', (address, trusted) => {
    expect(complaintOf(address, trustIn([trusted]))).toBeUndefined();
    expect(complaintOf('169.254.169.254', trustIn([trusted]))).toBe('a link-local address');
  });
});

test.each([
  ['api.example', ['api.example'], true],
  ['api.example.', ['api.example'], true],
  ['a.example', ['.example'], true],
  ['a.b.example', ['.example'], true],
  ['example', ['.example'], false],
  ['evilexample', ['.example'], false],
  ['api.example.org', ['api.example'], false],
  ['10.0.0.1', ['10.0.0.0/8'], false],
])('the name %s among %j: %p', (name, trusted, is) => {
  expect(trustIn(trusted).hasName(name)).toBe(is);
});

test.each([
  ['api.example.', ['api.example'], true],
  ['a.example', ['.example'], false],
  ['.example', ['.example'], false],
])('the name %s itself among %j: %p', (name, trusted, is) => {
  expect(trustIn(trusted).listsName(name)).toBe(is);
});

test.each([
  ['[::1]', '::1'],
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', undefined],
])('the host %s is the address %p', (host, address) => {
  expect(literalOf(host)).toBe(address as string);
});
