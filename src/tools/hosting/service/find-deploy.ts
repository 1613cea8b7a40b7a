import { AppError } from '../../../domain/common/error.ts';
import type { Deploy } from '../../../domain/hosting/records.ts';
import type { HostingToolDeps } from '../deps.ts';
import { parameterError } from '../parameter-error.ts';

/**
 * Finds a deploy of a service.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN` naming the parameter, also for a deploy of another service.
 */
export async function findDeploy(
  { provider }: HostingToolDeps,
  serviceId: string,
  deployId: string,
): Promise<Deploy> {
  try {
    return await provider.deploys.get(serviceId, deployId);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'RESOURCE_UNKNOWN') throw cause;
    const allowed = `a deploy of ${serviceId}, as list_deploys returns it`;
    throw parameterError({ path: 'deployId', received: deployId, allowed, cause }, cause.code);
  }
}
