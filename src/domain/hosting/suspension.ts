import { AppError } from '../common/error.ts';
import type { Service } from './records.ts';

/** Who suspends a service by hand. */
export const USER = 'user';
/** Who suspends a service whose program ends again and again. */
export const CRASHLOOP = 'stuck_crashlooping';

/** Whether a service is suspended because of crashes alone: any new deploy resumes it. */
export function isSuspendedByCrashes({
  suspended,
  suspenders,
}: Pick<Service, 'suspended' | 'suspenders'>): boolean {
  const isAlone = suspenders.length > 0 && suspenders.every((each) => each === CRASHLOOP);
  return suspended === 'suspended' && isAlone;
}

/** Whether a service takes no deploys until somebody resumes it. */
export function isSuspendedByHand(service: Pick<Service, 'suspended' | 'suspenders'>): boolean {
  return service.suspended === 'suspended' && !isSuspendedByCrashes(service);
}

/** The refusal of a deploy of a service that somebody suspended, with how it is resumed. */
export function refuseSuspended({
  id,
  dashboardUrl,
}: Pick<Service, 'id' | 'dashboardUrl'>): AppError {
  const allowed = 'a service that is not suspended';
  const message =
    `serviceId: received "${id}", allowed: ${allowed}. A user suspended this one, and no tool ` +
    `resumes it: ask the user to resume it at ${dashboardUrl}.`;
  return new AppError('INPUT_INVALID', {
    message,
    data: { path: 'serviceId', received: id, allowed },
  });
}
