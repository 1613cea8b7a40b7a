import type { Random } from '../common/random.ts';
import { LOOPBACK_RANGES } from './allow-list.ts';
import type { NewKeyValue, NewPostgres } from './hosting.ts';
import { createSlug } from './ids.ts';
import type { KeyValue, Postgres } from './records.ts';

/** Databases that exist on every new Postgres server. */
const SYSTEM_DATABASES = ['postgres', 'template0', 'template1'];

/** Values of a new record that the order does not contain. */
export interface NewDatabaseFields {
  readonly id: string;
  readonly dashboardUrl: string;
  /** RFC 3339 */
  readonly at: string;
}

/** Creates the record of an ordered Postgres server. Its database is named after the server. */
export function createPostgresRecord(
  order: NewPostgres,
  parts: NewDatabaseFields,
  random: Random,
): Omit<Postgres, 'status' | 'reason'> {
  const { name, ownerId, plan, region, version, diskSizeGB } = order;
  const databaseName = createDatabaseName(name, random);
  return {
    id: parts.id,
    name,
    ownerId,
    plan,
    region,
    databaseName,
    diskSizeGB,
    version: String(version),
    role: 'primary',
    suspended: 'not_suspended',
    databaseUser: `${databaseName}_user`,
    ...commonFields(parts),
  };
}

/**
 * Creates the record of an ordered Key Value instance.
 *
 * @param version - Name and version of the server program.
 */
export function createKeyValueRecord(
  order: NewKeyValue,
  parts: NewDatabaseFields,
  version: string,
): Omit<KeyValue, 'status' | 'reason'> {
  const { name, ownerId, plan, region, maxmemoryPolicy, persistenceMode } = order;
  const options = { maxmemoryPolicy, persistenceMode };
  return {
    id: parts.id,
    name,
    ownerId,
    plan,
    region,
    version,
    options,
    ...commonFields(parts),
  };
}

function commonFields({ dashboardUrl, at }: NewDatabaseFields) {
  return { ipAllowList: LOOPBACK_RANGES, dashboardUrl, createdAt: at, updatedAt: at };
}

/** Returns a name of letters, digits and underscores. Postgres reserves the prefix `pg_`. */
function createDatabaseName(name: string, random: Random): string {
  const slug = createSlug(
    name,
    (candidate) => SYSTEM_DATABASES.includes(candidate),
    random,
  ).replaceAll('-', '_');
  return /^(pg_|\d)/.test(slug) ? `db_${slug}` : slug;
}
