import { randomBytes } from 'node:crypto';
import { AppError } from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type {
  Authorization,
  PaymentRequired,
  PaymentRequirements,
} from '../../domain/payment/payment.ts';
import { type Caps, capsForTool, findBreach } from '../ledger/caps.ts';
import { resolveExpired } from '../ledger/resolve-expired.ts';
import type { ReservedRow } from '../ledger/rows.ts';
import type { RpcResponse } from '../upstream/http-session.ts';
import { isSameAddress, selectOffer } from '../wallet/select-offer.ts';
import { type ApprovalRequest, coversPayment } from './approval.ts';
import { type CallerDeps, type ClientCall, sendCall } from './caller.ts';
import { isRepeatable, readPrice } from './catalog.ts';
import { type ChainSettings, effectiveCaps, ensureFunds } from './chain-settings.ts';
import { type PaymentChallenge, readChallenge, readWorkName } from './payment-answer.ts';
import { presentPayment } from './present-payment.ts';
import { remainingToday } from './spending.ts';

/** Outcome of a call: the server's answer or JSON-RPC error, or a question to ask first. */
export type CallOutcome =
  | { readonly kind: 'answer'; readonly answer: RpcResponse }
  | { readonly kind: 'question'; readonly question: ApprovalRequest; readonly caps: Caps };

/** Starts the validity window this long before signing, to tolerate clock skew. */
const CLOCK_SKEW_S = 600;
const NONCE_BYTES = 32;

/** Calls the server's tools and pays for them within the caps. */
export class PayingCaller {
  readonly #deps: CallerDeps;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
  }

  /** Returns the current caps. */
  caps(): Caps {
    return effectiveCaps(this.#deps.chainSettings(), this.#deps.capOverrides);
  }

  /**
   * Makes one call. Presents a payment with an unknown outcome again and never replaces it. This
   * also holds for a call repeated after a crash, and for an equal call while the first is open.
   *
   * @throws {AppError} `CHALLENGE_REFUSED`, `PAYMENT_FUNDS`, `NOT_CONFIGURED`, `STORE_FULL`,
   * `SERVER_UNREACHABLE`, `EGRESS_FAILED`
   */
  async call(call: ClientCall): Promise<CallOutcome> {
    const { ledger, server, catalog } = this.#deps;
    await resolveExpired(ledger, this.#deps.chainSettings());
    const asked = hashJson({ server, tool: call.name, args: call.args });
    const open = ledger.findPending(asked);
    if (open !== undefined) return this.#present(call, open.reserved);
    const tool = await catalog.find(call.name, call.signal);
    const answer = await sendCall(this.#deps, call, {
      meta: {},
      isRepeatable: isRepeatable(tool),
    });
    const demand = 'result' in answer ? readChallenge(answer.result) : undefined;
    if (demand === undefined) return { kind: 'answer', answer };
    const name = readWorkName(demand.required);
    if (name === undefined) return this.#pay(call, { key: asked, asked }, demand);
    // Different arguments can name the same work, such as another `wait_s` or an explicit default.
    const key = hashJson({ server, tool: call.name, call: name });
    const same = ledger.findPending(key);
    if (same !== undefined) return this.#present(call, same.reserved);
    return this.#pay(call, { key, asked }, demand);
  }

  async #present(call: ClientCall, reserved: ReservedRow): Promise<CallOutcome> {
    return { kind: 'answer', answer: await presentPayment(this.#deps, call, reserved) };
  }

  async #pay(
    call: ClientCall,
    names: CallKeys,
    { required }: PaymentChallenge,
  ): Promise<CallOutcome> {
    const { ledger, wallet } = this.#deps;
    const { key } = names;
    const setting = this.#setting();
    const offer = await this.#offer(call, required, setting);
    const question = this.#question(call, key, offer);
    const isApproved = coversPayment(call.approved, question);
    if (needsApproval(question) && !isApproved) return this.#ask(question);
    await ensureFunds(setting, wallet.address, offer.amount);
    // No await from here to the reservation, so that an equal call shares the first payment.
    const open = ledger.findPending(key);
    if (open !== undefined) return this.#present(call, open.reserved);
    const isHeld = this.#holdPayee(offer, isApproved);
    const row = this.#row({ call, names, offer, isApproved });
    if (!isHeld || !ledger.reserve(row)) return this.#ask(this.#question(call, key, offer));
    return this.#present(call, this.#firstOf(row));
  }

  /** Returns the row to pay: if another process reserved the same call first, releases ours. */
  #firstOf(row: ReservedRow): ReservedRow {
    const { ledger } = this.#deps;
    const first = ledger.findPending(row.call)?.reserved;
    if (first === undefined || first.nonce === row.nonce) return row;
    ledger.recordOutcome(row.nonce, { outcome: 'released', code: null, refund: null, tx: null });
    return first;
  }

  #ask(question: ApprovalRequest): CallOutcome {
    return { kind: 'question', question, caps: this.caps() };
  }

  /** Refreshes the list if the price differs: a new server version may have changed it. */
  async #offer({ name, signal }: ClientCall, required: PaymentRequired, { asset }: ChainSettings) {
    const { catalog } = this.#deps;
    const listed = readPrice(await catalog.find(name, signal));
    if (required.accepts.some(({ amount }) => amount === listed)) {
      return selectOffer(required, asset, listed);
    }
    await catalog.refresh(signal);
    return selectOffer(required, asset, readPrice(await catalog.find(name, signal)));
  }

  #question(call: ClientCall, key: string, offer: PaymentRequirements): ApprovalRequest {
    const { ledger, payees, server, payee } = this.#deps;
    const { amount, payTo, network } = offer;
    const caps = this.caps();
    const breach = findBreach(
      BigInt(amount),
      capsForTool(caps, call.name),
      ledger.totalsToday(call.name),
    );
    const known = payee ?? payees.find(server, network);
    const isOther = known !== undefined && !isSameAddress(known, payTo);
    return {
      tool: call.name,
      callHash: key,
      amount,
      payTo,
      server,
      remainingToday: remainingToday(ledger, caps),
      ...(breach === undefined ? {} : { breach }),
      ...(isOther ? { previousPayee: known } : {}),
    };
  }

  /** Records the payee. Of two concurrent first payees, only one is paid without a question. */
  #holdPayee({ network, payTo }: PaymentRequirements, isApproved: boolean): boolean {
    const { payees, server, payee } = this.#deps;
    if (isSameAddress(payees.recordFirst(server, network, payTo), payTo)) return true;
    if (!isApproved && payee === undefined) return false;
    payees.replace(server, network, payTo);
    return true;
  }

  #row({ call, names: { key, asked }, offer, isApproved }: NewPayment): ReservedRow {
    const { server, wallet, now } = this.#deps;
    const nowS = Math.floor(now() / SECOND_MS);
    const nonce = `0x${randomBytes(NONCE_BYTES).toString('hex')}`;
    const { amount, payTo, maxTimeoutSeconds } = offer;
    const authorization: Authorization = {
      from: wallet.address,
      to: payTo,
      value: amount,
      validAfter: String(nowS - CLOCK_SKEW_S),
      validBefore: String(nowS + maxTimeoutSeconds),
      nonce,
    };
    return {
      time: new Date(now()).toISOString(),
      outcome: 'reserved',
      tool: call.name,
      amount,
      server,
      payTo,
      nonce,
      tx: null,
      call: key,
      ...(asked === key ? {} : { asked }),
      approved: isApproved,
      caps: capsForTool(this.caps(), call.name),
      authorization,
      accepted: offer,
    };
  }

  #setting(): ChainSettings {
    const setting = this.#deps.chainSettings();
    if (setting !== undefined) return setting;
    throw new AppError('NOT_CONFIGURED', {
      message:
        'The wallet has no chain to pay on, so it did not pay. Start the server on the data ' +
        'directory, or start stoa connect with --network.',
    });
  }
}

/** The keys by which a payment is found again. */
interface CallKeys {
  /** Hash of the work. */
  readonly key: string;
  /** Hash of the arguments as given. */
  readonly asked: string;
}

interface NewPayment {
  readonly call: ClientCall;
  readonly names: CallKeys;
  readonly offer: PaymentRequirements;
  readonly isApproved: boolean;
}

function needsApproval({ breach, previousPayee }: ApprovalRequest): boolean {
  return breach !== undefined || previousPayee !== undefined;
}
