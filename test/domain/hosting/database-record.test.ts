import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPostgresRecord } from '../../../src/domain/hosting/database-record.ts';
import type { NewPostgres } from '../../../src/domain/hosting/hosting.ts';

const random = { bytes: (length: number) => randomBytes(length) };

function named(name: string) {
  const order: NewPostgres = {
    ownerId: 'tea-a',
    name,
    plan: 'free',
    region: 'oregon',
    version: 16,
    diskSizeGB: 1,
  };
  const parts = { id: 'dpg-a', dashboardUrl: '', at: '2026-03-01T12:00:00.000Z' };
  const { databaseName, databaseUser } = createPostgresRecord(order, parts, random);
  return { databaseName, databaseUser };
}

test('a database is named after its record, its user after the database', () => {
  expect(named('My Books')).toEqual({ databaseName: 'my_books', databaseUser: 'my_books_user' });
});

test('names that the server keeps for itself are given to nobody', () => {
  for (const name of ['postgres', 'template0', 'template1']) {
    expect(named(name).databaseName).toMatch(new RegExp(`^${name}_[0-9a-v]{4}$`));
  }
  expect(named('pg-stat').databaseUser).toBe('db_pg_stat_user');
  expect(named('2026').databaseName).toBe('db_2026');
});

test('a name of any length or script gives names that the server takes whole', () => {
  for (const name of ['x'.repeat(200), '9'.repeat(200), '日本', '"; drop', "o'neil", '---']) {
    const { databaseName, databaseUser } = named(name);
    expect(databaseUser).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(databaseUser.length).toBeLessThanOrEqual(63);
    expect(databaseName.startsWith('pg_')).toBe(false);
  }
});
