import { expect, test } from 'vitest';
import {
  LOOPBACK_RANGES,
  RANGES_MAX,
  validateRanges,
} from '../../../src/domain/hosting/allow-list.ts';

const one = (cidrBlock: string) => validateRanges([{ cidrBlock, description: '' }]);

test('ranges of both families are taken, and those of this machine', () => {
  for (const cidrBlock of [
    '0.0.0.0/0',
    '10.1.0.0/16',
    '255.255.255.255/32',
    '::/0',
    '2001:DB8::/32',
    '::ffff:10.0.0.1/128',
  ]) {
    expect(one(cidrBlock)).toEqual([{ cidrBlock, description: '' }]);
  }
  expect(validateRanges(LOOPBACK_RANGES)).toEqual(LOOPBACK_RANGES);
});

test('what is no range is refused with what is allowed', () => {
  for (const wrong of [
    ...[
      '',
      'everyone',
      '10.0.0.1',
      '10.0.0.0/33',
      '10.0.0/8',
      '256.0.0.0/8',
      '010.0.0.0/8',
      '1.2.3.4.5/8',
    ],
    ...[
      '::/129',
      ':::/8',
      'g::/8',
      '1::2::3/64',
      '10.0.0.0/8 md5',
      '10.0.0.0/8\nhost all all 0.0.0.0/0 trust',
    ],
    ...[
      '::1/128\n',
      '0x7f.0.0.1/8',
      '127.0.0.1/',
      'fe80::1%eth0/64',
      '[::1]/128',
      'samenet',
      'all',
    ],
  ]) {
    expect(() => one(wrong), wrong).toThrowError(/allowed: a CIDR range/);
  }
});

test('a list and its words have bounds', () => {
  const many = Array.from({ length: RANGES_MAX + 1 }, () => ({
    cidrBlock: '::/0',
    description: '',
  }));
  expect(() => validateRanges(many)).toThrowError(/at most 100 ranges/);
  expect(() => validateRanges([{ cidrBlock: '::/0', description: 'x'.repeat(256) }])).toThrowError(
    /at most 255 characters/,
  );
});
