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

/** What becomes of a call: the server's answer, an error of JSON-RPC, or a question first. */
export type CallOutcome =
  | { readonly kind: 'answer'; readonly answer: RpcAnswer }
  | { readonly kind: 'question'; readonly question: Question; readonly caps: Caps };

/** The window of an authorization begins this long before its making, for clocks that differ. */
const SKEW_S = 600;
const NONCE_BYTES = 32;

/** Calls tools of the server and pays what they cost, within the caps. */
export class PayingCaller {
  readonly #deps: CallerDeps;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
  }

  /** The caps that hold now. */
  caps(): Caps {
    return capsIn(this.#deps.setting(), this.#deps.wanted);
  }

  /**
   * Makes one call. A payment whose outcome is not known is presented again, never replaced: also
   * for a call that is made again after a crash, and for an equal one while the first is open.
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
    // The same work, asked for in other words: how long to wait, or a default written out.
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
    // From here to the reservation nothing waits: an equal call shares the payment of the first.
    const open = ledger.pending(key);
    if (open !== undefined) return this.#present(call, open.reserved);
    const isHeld = this.#holdPayee(offer, isApproved);
    const row = this.#row({ call, names, offer, isApproved });
    if (!isHeld || !ledger.reserve(row)) return this.#ask(this.#question(call, key, offer));
    return this.#present(call, this.#firstOf(row));
  }

  /** Where another process has reserved for an equal call just before, ours is never signed. */
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

  /** A demand that does not match the list is judged by a fresh list: a version may change it. */
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

  /** Of two first payees at once only one is paid without a question. */
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
        'The wallet knows no chain to pay on: start the server on the data directory, or start ' +
        'stoa connect with --network. Nothing was paid.',
    });
  }
}

/** What a payment is found again by. */
interface CallNames {
  /** Hash of the work. */
  readonly key: string;
  /** Hash of the arguments as they were given. */
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
