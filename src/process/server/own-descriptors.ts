import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import {
  DescriptorReserve,
  descriptorsMax,
  nextDescriptor,
} from '../../system/descriptor-reserve.ts';
import type { Descriptors } from '../../transport/http/descriptors.ts';

/** Largest reserve for files, the chain, upstreams and child processes. */
const RESERVE_MAX = 128;
const RESERVE_SHARE = 4;
/** At this number none are effectively left: one event loop turn may open as many. */
const FEW = 16;
/** A server opens 41 descriptors at startup. Loading its modules briefly needs more. */
const NEEDED = 256;

/**
 * Refuses to start with so few descriptors that a handful of clients would exhaust them.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function refuseFewDescriptors(max = descriptorsMax()): void {
  if (max === undefined || max >= NEEDED) return;
  throw new AppError('CONFIG_INVALID', {
    message: `This process may open ${max} files; it needs ${NEEDED} or more. Raise \`ulimit -n\`.`,
    data: { received: max, allowed: NEEDED },
  });
}

/** Divides the descriptors of this process between connections and everything else. */
export function ownDescriptors(notice: (line: string) => void): Descriptors {
  const max = descriptorsMax() ?? Number.POSITIVE_INFINITY;
  const size = Math.min(RESERVE_MAX, Math.floor(max / RESERVE_SHARE));
  const reserve = new DescriptorReserve(size);
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    room: () => Math.max(FEW, max - (nextDescriptor() ?? 0) - size),
    next: nextDescriptor,
    few: max - FEW,
    hold: () => reserve.hold(2 * FEW),
    release: () => reserve.release(),
    refused: () => {
      const now = performance.now();
      if (now - toldAt < MINUTE_MS) return;
      toldAt = now;
      notice('connection limit reached: new connections are rejected until others close');
    },
  };
}
