import { randomBytes } from 'node:crypto';
import { AppError } from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type {
  Authorization,
  PaymentRequired,
  PaymentRequirements,
} from '../../domain/payment/payment.ts';
import { breachOf, type Caps, capsFor } from '../ledger/caps.ts';
import type { ReservedRow } from '../ledger/rows.ts';
import { sweepLapsed } from '../ledger/sweep.ts';
import type { RpcAnswer } from '../upstream/http-session.ts';
import { acceptOffer, isSame } from '../wallet/challenge-check.ts';
import { covers, type Question } from './approval.ts';
import { type CallerDeps, type ClientCall, sendCall } from './caller.ts';
import { isRepeatable, priceOf } from './catalog.ts';
import { presentPayment } from './present-payment.ts';
import { type Demand, demandOf, readCallName } from './receipt.ts';
import { capsIn, ensureFunds, type Setting } from './setting.ts';
import { leftToday } from './spending.ts';

/** Outcome of a call: the server's answer or JSON-RPC error, or a question to ask first. */
export type CallOutcome =
  | { readonly kind: 'answer'; readonly answer: RpcAnswer }
  | { readonly kind: 'question'; readonly question: Question; readonly caps: Caps };

/** Starts the validity window this long before signing, to tolerate clock skew. */
const SKEW_S = 600;
const NONCE_BYTES = 32;

/** Calls the server's tools and pays for them within the caps. */
export class PayingCaller {
  readonly #deps: CallerDeps;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
  }

  /** Returns the current caps. */
  caps(): Caps {
    return capsIn(this.#deps.setting(), this.#deps.wanted);
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
    await sweepLapsed(ledger, this.#deps.setting());
    const asked = hashJson({ server, tool: call.name, args: call.args });
    const open = ledger.pending(asked);
    if (open !== undefined) return this.#present(call, open.reserved);
    const tool = await catalog.find(call.name, call.signal);
    const answer = await sendCall(this.#deps, call, {
      meta: {},
      isRepeatable: isRepeatable(tool),
    });
    const demand = 'result' in answer ? demandOf(answer.result) : undefined;
    if (demand === undefined) return { kind: 'answer', answer };
    const name = readCallName(demand.required);
    if (name === undefined) return this.#pay(call, { key: asked, asked }, demand);
    // Different arguments can name the same work, such as another `wait_s` or an explicit default.
    const key = hashJson({ server, tool: call.name, call: name });
    const same = ledger.pending(key);
    if (same !== undefined) return this.#present(call, same.reserved);
    return this.#pay(call, { key, asked }, demand);
  }

  async #present(call: ClientCall, reserved: ReservedRow): Promise<CallOutcome> {
    return { kind: 'answer', answer: await presentPayment(this.#deps, call, reserved) };
  }

  async #pay(call: ClientCall, names: CallNames, { required }: Demand): Promise<CallOutcome> {
    const { ledger, wallet } = this.#deps;
    const { key } = names;
    const setting = this.#setting();
    const offer = await this.#offer(call, required, setting);
    const question = this.#question(call, key, offer);
    const isApproved = covers(call.accepted, question);
    if (needsPerson(question) && !isApproved) return this.#ask(question);
    await ensureFunds(setting, wallet.address, offer.amount);
    // No await from here to the reservation, so that an equal call shares the first payment.
    const open = ledger.pending(key);
    if (open !== undefined) return this.#present(call, open.reserved);
    const isHeld = this.#holdPayee(offer, isApproved);
    const row = this.#row({ call, names, offer, isApproved });
    if (!isHeld || !ledger.reserve(row)) return this.#ask(this.#question(call, key, offer));
    return this.#present(call, this.#firstOf(row));
  }

  /** Returns the row to pay: if another process reserved the same call first, releases ours. */
  #firstOf(row: ReservedRow): ReservedRow {
    const { ledger } = this.#deps;
    const first = ledger.pending(row.call)?.reserved;
    if (first === undefined || first.nonce === row.nonce) return row;
    ledger.end(row.nonce, { outcome: 'released', code: null, refund: null, tx: null });
    return first;
  }

  #ask(question: Question): CallOutcome {
    return { kind: 'question', question, caps: this.caps() };
  }

  /** Refreshes the list if the price differs: a new server version may have changed it. */
  async #offer({ name, signal }: ClientCall, required: PaymentRequired, { purse }: Setting) {
    const { catalog } = this.#deps;
    const listed = priceOf(await catalog.find(name, signal));
    if (required.accepts.some(({ amount }) => amount === listed)) {
      return acceptOffer(required, purse, listed);
    }
    await catalog.refresh(signal);
    return acceptOffer(required, purse, priceOf(await catalog.find(name, signal)));
  }

  #question(call: ClientCall, key: string, offer: PaymentRequirements): Question {
    const { ledger, payees, server, payee } = this.#deps;
    const { amount, payTo, network } = offer;
    const caps = this.caps();
    const breach = breachOf(BigInt(amount), capsFor(caps, call.name), ledger.today(call.name));
    const known = payee ?? payees.known(server, network);
    const isOther = known !== undefined && !isSame(known, payTo);
    return {
      tool: call.name,
      call: key,
      amount,
      payTo,
      server,
      left: leftToday(ledger, caps),
      ...(breach === undefined ? {} : { breach }),
      ...(isOther ? { payeeBefore: known } : {}),
    };
  }

  /** Records the payee. Of two concurrent first payees, only one is paid without a question. */
  #holdPayee({ network, payTo }: PaymentRequirements, isApproved: boolean): boolean {
    const { payees, server, payee } = this.#deps;
    if (isSame(payees.note(server, network, payTo), payTo)) return true;
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
      validAfter: String(nowS - SKEW_S),
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
      caps: capsFor(this.caps(), call.name),
      authorization,
      accepted: offer,
    };
  }

  #setting(): Setting {
    const setting = this.#deps.setting();
    if (setting !== undefined) return setting;
    throw new AppError('NOT_CONFIGURED', {
      message:
        'The wallet has no chain to pay on, so it did not pay. Start the server on the data ' +
        'directory, or start stoa connect with --network.',
    });
  }
}

/** The keys by which a payment is found again. */
interface CallNames {
  /** Hash of the work. */
  readonly key: string;
  /** Hash of the arguments as given. */
  readonly asked: string;
}

interface NewPayment {
  readonly call: ClientCall;
  readonly names: CallNames;
  readonly offer: PaymentRequirements;
  readonly isApproved: boolean;
}

function needsPerson({ breach, payeeBefore }: Question): boolean {
  return breach !== undefined || payeeBefore !== undefined;
}
