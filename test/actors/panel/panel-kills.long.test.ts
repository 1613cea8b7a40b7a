import { test } from 'vitest';
import { expectSameAfterKills } from '../../support/panel-kills.ts';

test.each([
  ['debate', 'lmdb'],
  ['council', 'lmdb'],
  ['council of checklists', 'memory'],
] as const)(
  '%s on the %s engine, killed at any commit, comes to the same',
  {
    timeout: 240_000,
  },
  expectSameAfterKills,
);
