import type { Random } from '../common/random.ts';
import { LOOPBACK_RANGES } from './allow-list.ts';
import type { NewKeyValue, NewPostgres } from './hosting.ts';
import { slugOf } from './ids.ts';
import type { KeyValue, Postgres } from './records.ts';

/** Databases that every Postgres server has from its beginning. */
const OWN_DATABASES = ['postgres', 'template0', 'template1'];

/** What a new record is given beside the order. */
export interface DatabaseRecordParts {
  readonly id: string;
  readonly dashboardUrl: string;
  /** RFC 3339 */
  readonly at: string;
}

/** The record of a Postgres server that was ordered; its database is named after it. */
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
 * The record of a Key Value instance that was ordered.
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

/** Letters, digits and underscores; names that begin with `pg_` are the server's own. */
function databaseNameOf(name: string, random: Random): string {
  const slug = slugOf(name, (one) => OWN_DATABASES.includes(one), random).replaceAll('-', '_');
  return /^(pg_|\d)/.test(slug) ? `db_${slug}` : slug;
}
