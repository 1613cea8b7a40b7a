import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { FrontRules } from '../target.ts';

/** The rules of a front without a fault. */
export const SAFE_RULES: FrontRules = {
  admitsOrigin: (origin, host) => origin === `http://${host}` || origin === localOf(host),
  admitsHost: (host, own) => host === own || `http://${host}` === localOf(own),
  admitsCaller: (request, token) => sameText(request.headers.authorization, `Bearer ${token}`),
  burstMax: 40,
  refillPerSecond: 40,
  bodyBytesMax: 128 * 1024,
  sessionId: () => randomUUID(),
  servesUnknownSessions: false,
  checksArguments: true,
};

/** A bucket of requests that fills with time. */
export function bucketOf(rules: FrontRules): { takes(): boolean } {
  let held = rules.burstMax;
  let filledAt = performance.now();
  return {
    takes: () => {
      const now = performance.now();
      held = Math.min(rules.burstMax, held + ((now - filledAt) / 1000) * rules.refillPerSecond);
      filledAt = now;
      if (held < 1) return false;
      held -= 1;
      return true;
    },
  };
}

function localOf(host: string): string {
  return `http://localhost:${host.split(':')[1] ?? ''}`;
}

function sameText(received: string | undefined, wanted: string): boolean {
  const [left, right] = [Buffer.from(received ?? ''), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}
