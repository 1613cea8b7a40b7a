import { expect, test } from 'vitest';
import { lacksOf, refuseUnguarded } from '../../../../src/providers/hosting/local/isolation.ts';

test('users of their own and limits of the kernel are both needed to host programs of others', () => {
  expect(lacksOf({ sandbox: 'user', cgroups: 'v2' })).toEqual([]);
  expect(() => refuseUnguarded({ sandbox: 'user', cgroups: 'v1' })).not.toThrow();
  expect(() => refuseUnguarded({ sandbox: 'process', cgroups: 'v2' })).toThrowError(
    expect.objectContaining({
      code: 'NOT_CONFIGURED',
      message: expect.stringMatching(/lacks users .* --trust-repositories/),
    }),
  );
  expect(() => refuseUnguarded({ sandbox: 'user', cgroups: 'none' })).toThrow(/lacks limits/);
});
