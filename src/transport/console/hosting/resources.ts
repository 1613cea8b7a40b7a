import { AppError } from '../../../domain/common/error.ts';
import type { HostingProvider } from '../../../domain/hosting/hosting.ts';
import { kindOfId } from '../../../domain/hosting/ids.ts';
import { INPUT_CHARS_MAX } from '../../../domain/hosting/input-text.ts';
import type { HostedDatabase } from '../../../domain/inspect/hosting.ts';

/**
 * Checks that a service or database exists.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN`
 */
export async function requireResource(provider: HostingProvider, id: string): Promise<void> {
  const kind = kindOfId(id);
  if (kind === 'service' || kind === 'cron_job') await provider.services.get(id);
  else await getDatabase(provider, id);
}

/**
 * Returns one database of either kind.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN`
 */
export async function getDatabase(provider: HostingProvider, id: string): Promise<HostedDatabase> {
  const kind = kindOfId(id);
  if (kind === 'postgres') return { kind, database: await provider.postgres.get(id) };
  if (kind === 'key_value') return { kind, database: await provider.keyValue.get(id) };
  throw unknownResource(id);
}

/** Builds the error for an unknown path after `/inspect/hosting/`. */
export function unknownPath(parts: readonly string[]): AppError {
  const received = `/inspect/hosting/${parts.join('/')}`.slice(0, 200);
  const message = 'The console has no such hosting path.';
  return new AppError('RESOURCE_UNKNOWN', { message, data: { received } });
}

function unknownResource(id: string): AppError {
  const received = id.slice(0, INPUT_CHARS_MAX.id);
  const message = `No resource has the id ${JSON.stringify(received)}.`;
  return new AppError('RESOURCE_UNKNOWN', { message, data: { received } });
}
