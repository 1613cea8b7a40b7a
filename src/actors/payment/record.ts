import { AppError } from '../../domain/common/error.ts';
import { PaymentRecord } from '../../domain/payment/payment-record.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { findActor } from '../common/find-actor.ts';

/** State of a payment, as named in its machine. */
export type PaymentState =
  | 'challenged'
  | 'verified'
  | 'settling'
  | 'unknown'
  | 'settled'
  | 'refunding'
  | 'refund_due'
  | 'closed'
  | 'refunded'
  | 'released'
  | 'failed'
  | 'refused';

/** A payment as stored on disk. */
export interface PaymentView {
  readonly state: PaymentState;
  readonly record: PaymentRecord;
  /** True if the actor is stuck and needs a repair. */
  readonly isStuck: boolean;
}

/** Returns a payment; `undefined` if no payment has this id. */
export async function findPayment(
  engine: ActorEngine,
  paymentId: string,
): Promise<PaymentView | undefined> {
  const view = await findActor(engine, paymentId);
  return view === undefined ? undefined : readPaymentView(view);
}

/** Returns a payment that must exist. */
export async function readPayment(engine: ActorEngine, paymentId: string): Promise<PaymentView> {
  return readPaymentView(await engine.view(paymentId));
}

/** Returns the top-level state of a view, for example `unknown` for `{unknown: 'asking'}`. */
export function stateOf({ value }: Pick<View, 'value'>): PaymentState {
  const name = typeof value === 'string' ? value : Object.keys(value ?? {})[0];
  if (name === undefined) throw new AppError('INVARIANT', { message: 'a payment has a state' });
  return name as PaymentState;
}

/** Parses the view of a payment actor. */
export function readPaymentView(view: View): PaymentView {
  const record = PaymentRecord.parse(view.context);
  return { state: stateOf(view), record, isStuck: view.status === 'stuck' };
}
