import { expect, test } from 'vitest';
import { POSTGRES_PLANS, parsePostgresLimits } from '../../../../../src/domain/hosting/plans.ts';
import {
  formatAccessRules,
  formatSettings,
  maxProcessBytes,
} from '../../../../../src/providers/hosting/local/postgres/settings.ts';

const PATHS = { settings: '/mnt/settings', sockets: '/run/s' };
const MIB = 1_048_576;

function rows(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .trim()
      .split('\n')
      .map((row) => row.split(' = ') as [string, string]),
  );
}

test('every plan gives settings that fit into its memory', () => {
  for (const plan of POSTGRES_PLANS) {
    const limits = parsePostgresLimits(plan);
    const set = rows(formatSettings(limits, 20_000, PATHS));
    expect(Number.parseInt(set.get('shared_buffers') ?? '', 10), plan).toBeLessThanOrEqual(
      limits.memoryMib / 4,
    );
    expect(maxProcessBytes(limits) / MIB, plan).toBeLessThanOrEqual(limits.memoryMib / 2);
    expect(set.get('listen_addresses')).toBe("'127.0.0.1'");
    expect(set.get('port')).toBe('20000');
  }
});

test('who may connect: the owner over the socket, and over ranges with the reader', () => {
  const record = {
    databaseName: 'books',
    databaseUser: 'books_user',
    ipAllowList: [{ cidrBlock: '10.0.0.0/8', description: 'x\nhost all all 0.0.0.0/0 trust' }],
  };
  expect(formatAccessRules(record)).toBe(
    `local all "stoa_admin" scram-sha-256
local "books" "books_user" scram-sha-256
host "books" "books_user","stoa_reader" 10.0.0.0/8 scram-sha-256
`,
  );
  expect(formatAccessRules({ ...record, ipAllowList: [] })).not.toContain('host');
});
