import type { Random } from '../common/random.ts';
import { LOOPBACK_RANGES } from './allow-list.ts';
import type { NewKeyValue, NewPostgres } from './hosting.ts';
import { slugOf } from './ids.ts';
import type { KeyValue, Postgres } from './records.ts';

/** Databases that exist on every new Postgres server. */
const OWN_DATABASES = ['postgres', 'template0', 'template1'];

/** Values of a new record that the order does not contain. */
export interface DatabaseRecordParts {
  readonly id: string;
  readonly dashboardUrl: string;
  /** RFC 3339 */
  readonly at: string;
}

/** Creates the record of an ordered Postgres server. Its database is named after the server. */
export function postgresRecord(
  order: NewPostgres,
  parts: DatabaseRecordParts,
  random: Random,
): Omit<Postgres, 'status' | 'reason'> {
  const { name, ownerId, plan, region, version, diskSizeGB } = order;
  const databaseName = databaseNameOf(name, random);
  return {
    ...{ id: parts.id, name, ownerId, plan, region, databaseName, diskSizeGB },
    ...{ version: String(version), role: 'primary', suspended: 'not_suspended' },
    databaseUser: `${databaseName}_user`,
    ...common(parts),
  };
}

/**
 * Creates the record of an ordered Key Value instance.
 *
 * @param version - Name and version of the server program.
 */
export function keyValueRecord(
  order: NewKeyValue,
  parts: DatabaseRecordParts,
  version: string,
): Omit<KeyValue, 'status' | 'reason'> {
  const { name, ownerId, plan, region, maxmemoryPolicy, persistenceMode } = order;
  const options = { maxmemoryPolicy, persistenceMode };
  return { ...{ id: parts.id, name, ownerId, plan, region, version, options }, ...common(parts) };
}

function common({ dashboardUrl, at }: DatabaseRecordParts) {
  return { ipAllowList: LOOPBACK_RANGES, dashboardUrl, createdAt: at, updatedAt: at };
}

/** Returns a name of letters, digits and underscores. Postgres reserves the prefix `pg_`. */
function databaseNameOf(name: string, random: Random): string {
  const slug = slugOf(name, (one) => OWN_DATABASES.includes(one), random).replaceAll('-', '_');
  return /^(pg_|\d)/.test(slug) ? `db_${slug}` : slug;
}
