import { AppError } from '../common/error.ts';
import type { Service } from './records.ts';

/** Suspender of a service that was suspended manually. */
export const SUSPENDED_BY_USER = 'user';
/** Suspender of a service whose program crashes repeatedly. */
export const SUSPENDED_BY_CRASHLOOP = 'stuck_crashlooping';

/**
 * Checks whether crashes are the only reason of the suspension. Any new deploy then resumes the
 * service.
 */
export function isSuspendedByCrashes({
  suspended,
  suspenders,
}: Pick<Service, 'suspended' | 'suspenders'>): boolean {
  const isOnlyCrashloop =
    suspenders.length > 0 && suspenders.every((each) => each === SUSPENDED_BY_CRASHLOOP);
  return suspended === 'suspended' && isOnlyCrashloop;
}

/** Checks whether a service accepts no deploys until a user resumes it. */
export function isSuspendedByUser(service: Pick<Service, 'suspended' | 'suspenders'>): boolean {
  return service.suspended === 'suspended' && !isSuspendedByCrashes(service);
}

/** Creates the error for a deploy of a manually suspended service. It says how to resume. */
export function suspendedError({
  id,
  dashboardUrl,
}: Pick<Service, 'id' | 'dashboardUrl'>): AppError {
  const allowed = 'a service that is not suspended';
  const message =
    `serviceId: received "${id}", allowed: ${allowed}. A user suspended this service and no tool ` +
    `can resume it. Ask the user to resume it at ${dashboardUrl}.`;
  return new AppError('INPUT_INVALID', {
    message,
    data: { path: 'serviceId', received: id, allowed },
  });
}
