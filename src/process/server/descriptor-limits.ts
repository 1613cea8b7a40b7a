import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import {
  DescriptorReserve,
  findNextDescriptor,
  readDescriptorLimit,
} from '../../system/descriptor-reserve.ts';
import type { DescriptorBudget } from '../../transport/http/descriptor-budget.ts';

/** Largest reserve for files, the chain, upstreams and child processes. */
const RESERVE_MAX = 128;
const RESERVE_SHARE = 4;
/** At this number none are effectively left: one event loop turn may open as many. */
const LOW_COUNT = 16;
/** A server opens 41 descriptors at startup. Loading its modules briefly needs more. */
const NEEDED = 256;

/**
 * Refuses to start with so few descriptors that a handful of clients would exhaust them.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function rejectFewDescriptors(max = readDescriptorLimit()): void {
  if (max === undefined || max >= NEEDED) return;
  throw new AppError('CONFIG_INVALID', {
    message: `This process may open ${max} files; it needs ${NEEDED} or more. Raise \`ulimit -n\`.`,
    data: { received: max, allowed: NEEDED },
  });
}

/** Divides the descriptors of this process between connections and everything else. */
export function createDescriptorBudget(notice: (line: string) => void): DescriptorBudget {
  const max = readDescriptorLimit() ?? Number.POSITIVE_INFINITY;
  const size = Math.min(RESERVE_MAX, Math.floor(max / RESERVE_SHARE));
  const reserve = new DescriptorReserve(size);
  let noticedAt = Number.NEGATIVE_INFINITY;
  return {
    connectionCapacity: () => Math.max(LOW_COUNT, max - (findNextDescriptor() ?? 0) - size),
    nextDescriptor: findNextDescriptor,
    lowWatermark: max - LOW_COUNT,
    reserve: () => reserve.hold(2 * LOW_COUNT),
    release: () => reserve.release(),
    onRejected: () => {
      const now = performance.now();
      if (now - noticedAt < MINUTE_MS) return;
      noticedAt = now;
      notice('connection limit reached: new connections are rejected until others close');
    },
  };
}
