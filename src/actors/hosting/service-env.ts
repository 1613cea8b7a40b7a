import { AppError } from '../../domain/common/error.ts';
import type { Sealer } from '../../domain/common/sealer.ts';
import {
  type DatabaseReference,
  type EnvVarOrder,
  type ResolvedEnv,
  readDatabaseProperty,
} from '../../domain/hosting/env-vars.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { kindOfId } from '../../domain/hosting/ids.ts';
import type { EnvVar, Service } from '../../domain/hosting/records.ts';

/** Databases that environment variables can reference. */
export type ReferencedDatabases = Pick<HostingProvider, 'postgres' | 'keyValue'>;

/** Seals the environment variables of a service. */
export function sealEnv(sealer: Sealer, serviceId: string, vars: readonly EnvVarOrder[]): string {
  return sealer.seal(JSON.stringify(vars), serviceId);
}

/** Opens the sealed environment variables of a service. */
export function unsealEnv(
  sealer: Sealer,
  serviceId: string,
  sealedEnv: string,
): readonly EnvVarOrder[] {
  return JSON.parse(sealer.open(sealedEnv, serviceId)) as readonly EnvVarOrder[];
}

/**
 * Resolves each environment variable to its current value. Only databases of the service's own
 * workspace can be referenced.
 */
export async function resolveEnv(
  databases: ReferencedDatabases,
  { ownerId }: Pick<Service, 'ownerId'>,
  vars: readonly EnvVarOrder[],
): Promise<ResolvedEnv> {
  const env: EnvVar[] = [];
  for (const { key, value, fromDatabase } of vars) {
    const found =
      fromDatabase === undefined
        ? { value: value ?? '' }
        : await resolveReference(databases, ownerId, fromDatabase);
    if ('missing' in found) return { missing: `a value for ${key}: ${found.missing}` };
    env.push({ key, value: found.value });
  }
  return { env };
}

async function resolveReference(
  { postgres, keyValue }: ReferencedDatabases,
  ownerId: string,
  { id, property }: DatabaseReference,
): Promise<{ readonly value: string } | { readonly missing: string }> {
  const kind = kindOfId(id);
  if (kind !== 'postgres' && kind !== 'key_value') return { missing: `${id} is not a database` };
  const port = kind === 'postgres' ? postgres : keyValue;
  try {
    const { ownerId: owner, status } = await port.get(id);
    if (owner !== ownerId) return { missing: `the workspace has no database ${id}` };
    if (status !== 'available') {
      return { missing: `${id} is ${status}; deploy again once it is available` };
    }
    return { value: readDatabaseProperty((await port.connection(id)).internal, property) };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    const isGone = thrown.code === 'RESOURCE_UNKNOWN';
    const gone = `the workspace has no database ${id}`;
    return { missing: isGone ? gone : `${id}: ${thrown.message}` };
  }
}
