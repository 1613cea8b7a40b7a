import { expect, test } from 'vitest';
import { resolveEnv } from '../../../src/actors/hosting/service-env.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { DatabaseReference, EnvVarOrder } from '../../../src/domain/hosting/env-vars.ts';
import { mergeEnvVars, readDatabaseProperty } from '../../../src/domain/hosting/env-vars.ts';

type Databases = Parameters<typeof resolveEnv>[0];

const POSTGRES = 'dpg-00000000000000000001-a';
const KEY_VALUE = 'red-00000000000000000001';
const ADDRESS = 'postgres://own%40er:p%2Fw@127.0.0.1:5433/app_db';
const service = { ownerId: 'tea-a' };

test('a reference becomes what a database is reached by', async () => {
  const expected: Readonly<Record<DatabaseReference['property'], string>> = {
    connectionString: ADDRESS,
    host: '127.0.0.1',
    port: '5433',
    user: 'own@er',
    password: 'p/w',
    database: 'app_db',
  };
  for (const [property, value] of Object.entries(expected)) {
    const given = [refer(POSTGRES, property as DatabaseReference['property'])];
    expect(await resolveEnv(databases(), service, given)).toEqual({ env: [{ key: 'URL', value }] });
  }
  expect(await resolveEnv(databases(), service, [refer(KEY_VALUE)])).toEqual({
    env: [{ key: 'URL', value: ADDRESS }],
  });
  const text = [{ key: 'A', value: `\${${POSTGRES}.URL}` }];
  expect(await resolveEnv(databases(), service, text)).toEqual({ env: text });
});

test('of a server at a socket the host is the folder of the socket', () => {
  const address = 'postgresql://u:p@localhost/db?host=%2Frun%2Fa%20b&port=5433';
  expect(readDatabaseProperty(address, 'host')).toBe('/run/a b');
  expect(readDatabaseProperty(address, 'port')).toBe('5433');
  expect(readDatabaseProperty(address, 'database')).toBe('db');
});

test('a database of another workspace, none, or one that is not there yet gives no value', async () => {
  const missing = async (databasesNow: Databases, id = POSTGRES) => {
    const found = await resolveEnv(databasesNow, service, [refer(id)]);
    return 'missing' in found ? found.missing : found.env;
  };
  const gone = `a value for URL: the workspace has no database ${POSTGRES}`;
  expect(await missing(databases({ ownerId: 'tea-b' }))).toBe(gone);
  expect(await missing(databases({ status: undefined }))).toBe(gone);
  expect(await missing(databases({ status: 'creating' }))).toBe(
    `a value for URL: ${POSTGRES} is creating; deploy again once it is available`,
  );
  expect(await missing(databases(), 'srv-00000000000000000001')).toContain('is not a database');
});

test('merged variables keep what is not given, and are bounded together', () => {
  const before: readonly EnvVarOrder[] = [{ key: 'A', value: '1' }, refer(POSTGRES)];
  expect(mergeEnvVars(before, [{ key: 'URL', value: '2' }])).toEqual([
    { key: 'A', value: '1' },
    { key: 'URL', value: '2' },
  ]);
  expect(mergeEnvVars(before, [{ key: 'B', value: '3' }])).toHaveLength(3);
  const many = Array.from({ length: 256 }, (_, at) => ({ key: `K${at}`, value: '' }));
  expect(mergeEnvVars(many, [{ key: 'K7', value: 'x' }])).toHaveLength(256);
  expect(() => mergeEnvVars(many, before)).toThrow(/received 258 variables/);
  const long = Array.from({ length: 8 }, (_, at) => ({ key: `K${at}`, value: 'x'.repeat(32_000) }));
  expect(() => mergeEnvVars(long, [{ key: 'L', value: 'x'.repeat(32_000) }])).toThrow(AppError);
});

function refer(
  id: string,
  property: DatabaseReference['property'] = 'connectionString',
): EnvVarOrder {
  return { key: 'URL', fromDatabase: { id, property } };
}

/** One database of each kind; `status: undefined` for none. */
function databases(now: { ownerId?: string; status?: string | undefined } = {}): Databases {
  const { ownerId = 'tea-a' } = now;
  const status = 'status' in now ? now.status : 'available';
  const port = {
    get: async () => {
      if (status === undefined) throw new AppError('RESOURCE_UNKNOWN', { message: 'none' });
      return { ownerId, status };
    },
    connection: async () => ({ internal: ADDRESS, external: ADDRESS, allowList: [] }),
  };
  return { postgres: port, keyValue: port } as never;
}
