import { randomBytes } from 'node:crypto';
import { AppError, toAppError } from '../../domain/error.ts';
import { hashJson } from '../../domain/hash.ts';
import {
  type Authorization,
  PAYMENT_META,
  type PaymentRequired,
  type PaymentRequirements,
} from '../../domain/payment.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { breachOf, type Caps, capsFor } from '../ledger/caps.ts';
import type { LedgerEntry } from '../ledger/fold.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ReservedRow } from '../ledger/rows.ts';
import { sweepLapsed } from '../ledger/sweep.ts';
import type { RpcAnswer } from '../upstream/http-session.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { acceptOffer, isSame } from '../wallet/challenge-check.ts';
import type { Payees } from '../wallet/payees.ts';
import type { SigningWallet } from '../wallet/wallet.ts';
import { covers, type Question } from './approval.ts';
import { type Catalog, isRepeatable, priceOf } from './catalog.ts';
import { type Demand, demandOf, verdictOf, worded } from './receipt.ts';
import { capsIn, ensureFunds, type Setting, type WantedCaps } from './setting.ts';
import { dollars, leftToday, type RawResult, spendingOf, withSpending } from './spending.ts';

/** What a paying caller works with. */
export interface CallerDeps {
  readonly upstream: Upstream;
  readonly catalog: Catalog;
  readonly wallet: SigningWallet;
  readonly ledger: Ledger;
  readonly payees: Payees;
  /** Origin of the server: who is paid is remembered by it. */
  readonly server: string;
  readonly wanted: WantedCaps;
  /** A payee that a person named in advance. */
  readonly payee?: string;
  /** What is known of the chain now; `undefined` while nothing is. */
  setting(): Setting | undefined;
  readonly now: () => number;
  readonly patience: Patience;
}

/** How long the server may be away, in milliseconds. */
export interface Patience {
  readonly listMs: number;
  readonly callMs: number;
}

/** A server that is just starting, or starts again, is waited for. */
export const PATIENCE: Patience = { listMs: 20 * SECOND_MS, callMs: 60 * SECOND_MS };

/** A tool call of the MCP client. */
export interface ClientCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Progress of the server, as it came. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
  /** A line of the wallet's own. */
  readonly say: (line: string) => void;
  /** The question that a person said yes to. */
  readonly accepted?: Question;
}

/** What becomes of a call: the server's answer, an error of JSON-RPC, or a question first. */
export type CallOutcome =
  | { readonly kind: 'answer'; readonly answer: RpcAnswer }
  | { readonly kind: 'question'; readonly question: Question; readonly caps: Caps };

/** How long a payment may stay undecided before the call is answered so, in milliseconds. */
export const PENDING_MS_MAX = 120 * SECOND_MS;
const PENDING_PAUSE_MS = SECOND_MS;
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
    const key = hashJson({ server, tool: call.name, args: call.args });
    const open = ledger.pending(key);
    if (open !== undefined) return { kind: 'answer', answer: await this.#present(call, open) };
    const tool = await catalog.find(call.name, call.signal);
    const answer = await this.#send(call, {}, isRepeatable(tool));
    const demand = 'result' in answer ? demandOf(answer.result) : undefined;
    if (demand === undefined) return { kind: 'answer', answer };
    return this.#pay(call, key, demand);
  }

  async #pay(call: ClientCall, key: string, { required }: Demand): Promise<CallOutcome> {
    const { ledger, wallet } = this.#deps;
    const setting = this.#setting();
    const offer = await this.#offer(call, required, setting);
    const question = this.#question(call, key, offer);
    const isApproved = covers(call.accepted, question);
    if (needsPerson(question) && !isApproved) return this.#ask(question);
    await ensureFunds(setting, wallet.address, offer.amount);
    // From here to the reservation nothing waits: an equal call shares the payment of the first.
    const open = ledger.pending(key);
    if (open !== undefined) return { kind: 'answer', answer: await this.#present(call, open) };
    const isHeld = this.#holdPayee(offer, isApproved);
    const row = this.#row({ call, key, offer, isApproved });
    if (!isHeld || !ledger.reserve(row)) return this.#ask(this.#question(call, key, offer));
    const entry = { reserved: row, last: row, isAdmitted: true };
    return { kind: 'answer', answer: await this.#present(call, entry) };
  }

  #ask(question: Question): CallOutcome {
    return { kind: 'question', question, caps: this.caps() };
  }

  /** A demand that does not match the list is judged by a fresh one: prices change with versions. */
  async #offer({ name, signal }: ClientCall, required: PaymentRequired, { purse }: Setting) {
    const { catalog } = this.#deps;
    const listed = priceOf(await catalog.find(name, signal));
    if (required.accepts.some(({ amount }) => amount === listed)) {
      return acceptOffer(required, purse, listed);
    }
    await catalog.refresh(signal);
    return acceptOffer(required, purse, priceOf(await catalog.find(name, signal)));
  }

  /** Presents a payment until it is known what became of it. */
  async #present(call: ClientCall, { reserved }: LedgerEntry): Promise<RpcAnswer> {
    const { ledger, wallet, now } = this.#deps;
    const payment = await wallet.sign(reserved.authorization, reserved.accepted);
    const price = dollars(reserved.amount);
    call.say(`paying ${price}, ${this.#left()} left today`);
    let isTold = false;
    const tellPaid = (): void => {
      if (!isTold) call.say(`paid ${price}, ${this.#left()} left today`);
      isTold = true;
    };
    const isUpfront = reserved.accepted.extra['paymentFlow'] === 'upfront';
    const onProgress = (params: Readonly<Record<string, unknown>>): void => {
      // What settles first and works then has settled when the work is heard of.
      if (isUpfront) tellPaid();
      call.onProgress?.(params);
    };
    const paid = { ...call, onProgress };
    const until = now() + PENDING_MS_MAX;
    for (;;) {
      const answer = await this.#send(paid, { [PAYMENT_META]: payment }, true).catch(
        (thrown: unknown) => {
          throw toAppError(thrown).code === 'SERVER_UNREACHABLE' ? away(reserved, thrown) : thrown;
        },
      );
      if (!('result' in answer)) return answer;
      const verdict = verdictOf(answer.result);
      if (verdict.kind === 'ended') {
        ledger.end(reserved.nonce, verdict.ending);
        if (verdict.ending.outcome === 'settled') tellPaid();
        return { result: this.#accounted(worded(answer.result), reserved, verdict.ending) };
      }
      if (now() > until) throw stillPending(reserved);
      call.say(`the payment of ${price} is not final yet`);
      await pause(PENDING_PAUSE_MS, call.signal);
    }
  }

  #accounted(result: RawResult, reserved: ReservedRow, ending: LedgerEnding): RawResult {
    const isPaid = ending.outcome === 'settled';
    const spending = spendingOf({
      price: reserved.amount,
      paid: isPaid ? reserved.amount : '0',
      left: leftToday(this.#deps.ledger, this.caps()),
      caps: this.caps(),
      payTo: reserved.payTo,
      transaction: ending.tx,
    });
    const back =
      ending.refund === null ? '' : ` ${dollars(ending.refund)} goes back to the wallet.`;
    return withSpending(result, spending, `${NOTES[ending.outcome]}${back}`);
  }

  #send(call: ClientCall, meta: Record<string, unknown>, isSafe: boolean): Promise<RpcAnswer> {
    const { name, args, signal, onProgress } = call;
    const params = { name, arguments: args, _meta: meta };
    return this.#deps.upstream.ask({
      method: 'tools/call',
      params,
      signal,
      isRepeatable: isSafe,
      patienceMs: this.#deps.patience.callMs,
      ...(onProgress === undefined ? {} : { onProgress }),
    });
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

  #row({ call, key, offer, isApproved }: NewPayment): ReservedRow {
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

  #left(): string {
    return dollars(leftToday(this.#deps.ledger, this.caps()));
  }
}

type LedgerEnding = Parameters<Ledger['end']>[1];

interface NewPayment {
  readonly call: ClientCall;
  readonly key: string;
  readonly offer: PaymentRequirements;
  readonly isApproved: boolean;
}

/** What a result says beside the sums when its payment did not simply settle. */
const NOTES: Readonly<Record<LedgerEnding['outcome'], string>> = {
  settled: '',
  refused: ' The amount stays held until its authorization has run out.',
  doubtful: ' The payment may still go through; call again to present the same one.',
  released: '',
};

function needsPerson({ breach, payeeBefore }: Question): boolean {
  return breach !== undefined || payeeBefore !== undefined;
}

function stillPending({ nonce, amount }: ReservedRow): AppError {
  return new AppError('PAYMENT_PENDING', {
    message:
      `The payment of ${dollars(amount)} is signed and not final yet. Call again with the same ` +
      'arguments: the same payment is presented, and no second one.',
    data: { nonce },
  });
}

function away({ nonce, amount, server }: ReservedRow, cause: unknown): AppError {
  return new AppError('SERVER_UNREACHABLE', {
    message:
      `The server at ${server} went away. A payment of ${dollars(amount)} is signed and its outcome ` +
      'is not known. Call again with the same arguments when the server is back: the same payment ' +
      'is presented, and no second one.',
    data: { nonce },
    cause,
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        fail(signal.reason);
      },
      { once: true },
    );
  });
}
