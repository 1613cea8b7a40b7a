import type { EnvVarOrder } from '../../../domain/hosting/env-vars.ts';
import { kindOfId } from '../../../domain/hosting/ids.ts';
import type { HostingToolDeps } from '../deps.ts';
import { type Call, findKeyValue, findPostgres } from '../workspace/workspace.ts';

/**
 * Checks that every `fromDatabase` variable refers to a database of the workspace.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN`, `INPUT_INVALID` naming the parameter.
 */
export async function checkDatabaseReferences(
  deps: HostingToolDeps,
  call: Call,
  envVars: readonly EnvVarOrder[],
): Promise<void> {
  for (const [at, { fromDatabase }] of envVars.entries()) {
    if (fromDatabase === undefined) continue;
    const named = { id: fromDatabase.id, path: `envVars.${at}.fromDatabase.id` };
    if (kindOfId(fromDatabase.id) === 'key_value') await findKeyValue(deps, call, named);
    else await findPostgres(deps, call, named);
  }
}
