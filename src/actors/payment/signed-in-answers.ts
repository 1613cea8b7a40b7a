import { hashJson, sha256Hex } from '../../domain/common/hash.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { PaymentIds } from '../../domain/payment/payment-ids.ts';
import type { Services } from '../common/services.ts';
import type { PaidCall } from './paid-call.ts';
import { findPayment, type PaymentView } from './record.ts';

/**
 * How long the payer of an answer gets it again by signing in, in milliseconds. Clients sign in
 * without being told to, so an answer must not get much older than one that is bought now.
 */
export const SIGNED_IN_REPEAT_MS = DAY_MS;

type Ports = Pick<Services, 'clock' | 'engine'> & { readonly ids: PaymentIds };
type SignedInCall = Pick<PaidCall, 'tool' | 'args'>;

/** Remembers which payment bought the answer of a wallet to a call. */
export class SignedInAnswers {
  readonly #deps: Ports;

  constructor(deps: Ports) {
    this.#deps = deps;
  }

  /**
   * Returns the newest payment of a wallet for this same call, for `SIGNED_IN_REPEAT_MS` after its
   * settlement. The caller must have proven the wallet.
   */
  async find(wallet: string, call: SignedInCall): Promise<PaymentView | undefined> {
    const { clock, engine, ids } = this.#deps;
    const bought = ids.find({ payer: wallet, identifierHash: hashSignedInCall(call) });
    if (bought === undefined) return undefined;
    const payment = await findPayment(engine, bought.paymentId);
    if (payment?.state !== 'closed') return undefined;
    const { settledAt } = payment.record;
    if (settledAt === null || clock.now() > settledAt + SIGNED_IN_REPEAT_MS) return undefined;
    return payment;
  }

  /**
   * Remembers a closed payment. Its answer is paid for, so it is returned even if this cannot be
   * stored.
   */
  async keep(call: SignedInCall, { record, state }: PaymentView): Promise<void> {
    if (state !== 'closed') return;
    const { clock, ids } = this.#deps;
    const { binding: fingerprint, payer, paymentId } = record;
    const of = { payer: payer.toLowerCase(), identifierHash: hashSignedInCall(call) };
    if (ids.find(of)?.paymentId === paymentId) return;
    await ids.bind({ ...of, fingerprint, paymentId }, clock.now()).catch(() => undefined);
  }
}

/** No client can choose an identifier of this form. */
function hashSignedInCall({ tool, args }: SignedInCall): string {
  return sha256Hex(`sign-in:${tool}:${hashJson(args)}`);
}
