import { expect, test } from 'vitest';
import {
  assertIsolated,
  describeIsolation,
  listMissing,
} from '../../../../src/providers/hosting/local/isolation.ts';

test('users of their own and limits of the kernel are both needed to host programs of others', () => {
  expect(listMissing({ sandbox: 'user', cgroups: 'v2' })).toEqual([]);
  expect(() => assertIsolated({ sandbox: 'user', cgroups: 'v1' })).not.toThrow();
  expect(() => assertIsolated({ sandbox: 'process', cgroups: 'v2' })).toThrowError(
    expect.objectContaining({
      code: 'NOT_CONFIGURED',
      message: expect.stringMatching(/lacks separate users .* --trust-repositories/),
    }),
  );
  expect(() => assertIsolated({ sandbox: 'user', cgroups: 'none' })).toThrow(
    /lacks resource limits/,
  );
});

test('one line says how far programs are kept apart, and what the machine lacks', () => {
  const whole = {
    sandbox: 'user',
    cgroups: 'v2',
    network: 'users',
    confinesSockets: true,
  } as const;
  expect(describeIsolation(whole)).toBe(
    'hosted programs are isolated at level user, with cgroups v2 and network rules; ' +
      'this machine lacks nothing',
  );
  expect(describeIsolation({ ...whole, network: 'none', confinesSockets: false })).toBe(
    'hosted programs are isolated at level user, with cgroups v2 and no network rules; ' +
      'this machine lacks network rules by user (root, nft), ' +
      'confined sockets (perl, Landlock of Linux 6.12)',
  );
  const bare = {
    sandbox: 'process',
    cgroups: 'none',
    network: 'none',
    confinesSockets: false,
  } as const;
  expect(describeIsolation(bare)).toMatch(
    /^.* level process, with no cgroups .* lacks separate users and mounts/,
  );
});
