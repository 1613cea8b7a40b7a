import type { GivenVar } from '../../../domain/hosting/given-env.ts';
import { kindOfId } from '../../../domain/hosting/ids.ts';
import type { HostingToolDeps } from '../deps.ts';
import { type Call, ownKeyValue, ownPostgres } from '../workspace/workspace.ts';

/**
 * Checks that every `fromDatabase` variable refers to a database of the workspace.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN`, `INPUT_INVALID` naming the parameter.
 */
export async function refuseUnknownDatabases(
  deps: HostingToolDeps,
  call: Call,
  envVars: readonly GivenVar[],
): Promise<void> {
  for (const [at, { fromDatabase }] of envVars.entries()) {
    if (fromDatabase === undefined) continue;
    const named = { id: fromDatabase.id, path: `envVars.${at}.fromDatabase.id` };
    if (kindOfId(fromDatabase.id) === 'key_value') await ownKeyValue(deps, call, named);
    else await ownPostgres(deps, call, named);
  }
}
