import { setTimeout as sleep } from 'node:timers/promises';
import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { PaymentPayload } from '../../domain/payment/payment.ts';
import type { PaymentFailure, TransferOutcome } from '../../domain/payment/payment-chain.ts';
import type { AuthorizationLookup } from '../chain/authorization-lookup.ts';
import { authorizationKey } from './authorization-key.ts';
import type { Facilitator } from './facilitator.ts';

/** Pauses between look-ups after a request, in milliseconds. */
const LOOK_UP_PAUSE_MS = { first: 100, longest: 2 * SECOND_MS } as const;

/** The dependencies of settlements by a facilitator. */
export interface RemoteSettleDeps {
  readonly facilitator: Pick<Facilitator, 'proofMs' | 'settle'>;
  readonly lookUp: AuthorizationLookup;
}

/**
 * Creates the function that settles payments through a facilitator. It never throws. The chain
 * alone decides: a facilitator that answers late, with an error or untruly changes nothing about
 * the outcome. Before each request the chain is asked, so a payment that has settled is not
 * presented again. Concurrent calls for one authorization share one request.
 */
export function createRemoteSettler(
  parts: RemoteSettleDeps,
): (payload: PaymentPayload) => Promise<TransferOutcome> {
  const running = new Map<string, Promise<TransferOutcome>>();
  return (payload) => {
    const key = authorizationKey(payload.payload.authorization);
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const outcome = settle(parts, payload).finally(() => running.delete(key));
    running.set(key, outcome);
    return outcome;
  };
}

async function settle(
  { facilitator, lookUp }: RemoteSettleDeps,
  payload: PaymentPayload,
): Promise<TransferOutcome> {
  const { authorization } = payload.payload;
  try {
    const before = await lookUp(authorization);
    if (before.state !== 'unspent') return before;
    const request = await sendRequest(facilitator, payload);
    const deadline = performance.now() + (request.isRefused ? 0 : facilitator.proofMs);
    const { first, longest } = LOOK_UP_PAUSE_MS;
    for (let pauseMs: number = first; ; pauseMs = Math.min(longest, 2 * pauseMs)) {
      const found = await lookUp(authorization);
      if (found.state === 'settled' || found.state === 'failed') return found;
      if (performance.now() + pauseMs > deadline) {
        return found.state === 'unknown' ? found : { ...UNPROVEN, ...request.unproven };
      }
      await sleep(pauseMs);
    }
  } catch (thrown) {
    return { ...UNPROVEN, detail: toAppError(thrown).message };
  }
}

const UNPROVEN = {
  state: 'unknown',
  transaction: null,
  detail: 'The facilitator says that it settled; the chain does not show it.',
} as const;

/** What a request to settle came to: whether it was refused, and what to say without a proof. */
interface SettleRequest {
  readonly isRefused: boolean;
  readonly unproven: { readonly detail?: string; readonly fault?: PaymentFailure };
}

async function sendRequest(
  facilitator: Pick<Facilitator, 'settle'>,
  payload: PaymentPayload,
): Promise<SettleRequest> {
  try {
    const fault = await facilitator.settle(payload);
    if (fault === undefined) return { isRefused: false, unproven: {} };
    return { isRefused: true, unproven: { detail: fault.message, fault } };
  } catch (thrown) {
    // The facilitator may have settled before its answer was lost.
    const { code, message, data } = toAppError(thrown);
    return {
      isRefused: false,
      unproven: { detail: message, fault: { code, message, data } },
    };
  }
}
