import { test } from 'vitest';
import { expectSameAfterKills } from '../../support/panel-kills.ts';

test.each([
  ['debate', 'memory'],
  ['council', 'memory'],
  ['council of checklists', 'lmdb'],
] as const)(
  '%s on the %s engine, killed at any commit, comes to the same',
  {
    timeout: 60_000,
  },
  expectSameAfterKills,
);
