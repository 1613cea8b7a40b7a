import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { listRows } from '../common/actor-lists.ts';
import { isEngineCode } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import { PAYMENT_KIND } from '../payment/definition.ts';
import { findPayment, type PaymentState, stateOf } from '../payment/record.ts';
import { readOwnSeal, redeemSeal, type SealDeps, type SealUseOrder } from './seals.ts';

type Ports = Pick<Services, 'blobs'> & { readonly seals: SealDeps };

/** A use of a seal whose payment is pending. */
interface Hold {
  readonly paymentId: string;
  readonly at: number;
}

/** Longest wait of a use for the payment of another one, in milliseconds. */
const HOLD_WAIT_MS = MINUTE_MS;
/** Number of holds above which holds with finished payments are removed. */
const HOLDS_SWEEP_MIN = 1_000;

/** Payments that will or may settle; their results are stored. */
const SETTLING_STATES = ['settling', 'unknown.waiting', 'unknown.asking'] as const;
const SETTLED_STATES: readonly PaymentState[] = ['settled', 'closed'];
const OPEN_STATES: readonly PaymentState[] = ['challenged', 'verified', 'settling', 'unknown'];

/** Pending uses by seal, per engine. */
const holds = new WeakMap<ActorEngine, Map<string, Hold>>();

/**
 * Holds a seal while a use is paid for, so that only one of two uses is charged. The seal stays
 * unused until `redeemSeal`, which runs after settlement. A use waits for the payment of an earlier
 * one and takes over if that fails.
 *
 * @returns The time of use, in Unix milliseconds.
 * @throws {AppError} the errors of `redeemSeal`, and `MOVE_UNAVAILABLE` while the payment of
 *   another use is pending
 */
export async function holdSeal(deps: Ports, order: SealUseOrder): Promise<number> {
  const { engine, clock } = deps.seals;
  const mine = holdsOfEngine(engine);
  const deadline = clock.now() + HOLD_WAIT_MS;
  for (;;) {
    const { seal, state } = await readOwnSeal(deps.seals, order);
    const isUsable = state === 'issued' && seal.deliverableSha256 === order.deliverableSha256;
    if (!isUsable) {
      const { seal: used } = await redeemSeal(deps.seals, order);
      return used.redemption?.at ?? clock.now();
    }
    const stored = mine.get(order.sealId) ?? (await findStoredUse(deps, order));
    // There is no await between the last check of the holds and a new one.
    const other = mine.get(order.sealId) ?? stored;
    if (other === undefined || other.paymentId === order.paymentId) {
      const hold = other ?? { paymentId: order.paymentId, at: clock.now() };
      mine.set(order.sealId, hold);
      if (mine.size > HOLDS_SWEEP_MIN) await dropEndedHolds(engine, mine);
      return hold.at;
    }
    await waitForOtherUse(deps, order, { ...other, leftMs: deadline - clock.now() });
  }
}

/** Waits for the payment of another use, then completes that use or drops its hold. */
async function waitForOtherUse(
  { seals }: Ports,
  order: SealUseOrder,
  { paymentId, at, leftMs }: Hold & { readonly leftMs: number },
): Promise<void> {
  const state = leftMs > 0 ? await waitForPayment(seals.engine, paymentId, leftMs) : 'open';
  if (state === 'open') {
    throw new AppError('MOVE_UNAVAILABLE', {
      message: 'The payment for another use of this seal is pending. Retry later.',
      data: { received: order.sealId, moves: ['check'] },
    });
  }
  if (state === 'settled') await redeemSeal(seals, { ...order, paymentId, at });
  const mine = holdsOfEngine(seals.engine);
  if (mine.get(order.sealId)?.paymentId === paymentId) mine.delete(order.sealId);
}

async function waitForPayment(
  engine: ActorEngine,
  paymentId: string,
  timeoutMs: number,
): Promise<'settled' | 'lost' | 'open'> {
  const isOpen = (view: Pick<View, 'value'>) => OPEN_STATES.includes(stateOf(view));
  try {
    const view = await engine.waitFor(paymentId, (seen) => !isOpen(seen), { timeoutMs });
    return SETTLED_STATES.includes(stateOf(view)) ? 'settled' : 'lost';
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_UNKNOWN')) return 'lost';
    if (isEngineCode(thrown, 'ASK_TIMEOUT')) return 'open';
    throw thrown;
  }
}

const RedemptionResult = z.object({
  structuredContent: z.object({
    payload: z.object({
      action: z.literal('redeem'),
      seal_id: z.string(),
      redeemed: z.object({ at: z.iso.datetime() }),
    }),
  }),
});

/** Finds a use that was stored before a restart and whose payment is still pending. */
async function findStoredUse(
  { seals: { engine }, blobs }: Ports,
  { sealId, paymentId }: SealUseOrder,
): Promise<Hold | undefined> {
  for (const state of SETTLING_STATES) {
    for await (const { id } of listRows(engine, { kind: PAYMENT_KIND, state })) {
      const resultSha = (await findPayment(engine, id))?.record.resultSha ?? null;
      const text = resultSha === null || id === paymentId ? undefined : blobs.get(resultSha);
      const used = RedemptionResult.safeParse(JSON.parse(text ?? 'null')).data?.structuredContent
        .payload;
      if (used?.seal_id === sealId) return { paymentId: id, at: Date.parse(used.redeemed.at) };
    }
  }
  return undefined;
}

async function dropEndedHolds(engine: ActorEngine, mine: Map<string, Hold>): Promise<void> {
  for (const [sealId, { paymentId }] of mine) {
    const found = await findPayment(engine, paymentId);
    if (found === undefined || !OPEN_STATES.includes(found.state)) mine.delete(sealId);
  }
}

function holdsOfEngine(engine: ActorEngine): Map<string, Hold> {
  const mine = holds.get(engine) ?? new Map<string, Hold>();
  holds.set(engine, mine);
  return mine;
}
