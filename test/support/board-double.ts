import { AppError } from '../../src/domain/common/error.ts';
import { toMoney } from '../../src/domain/common/money.ts';
import type { BidView, JobView, RequestView } from '../../src/domain/escrow/work.ts';
import type { WalletCall, WorkBoard, WorkOutcome } from '../../src/domain/escrow/work-board.ts';
import type { PaymentPayload, PaymentRequirements } from '../../src/domain/payment/payment.ts';

/** The escrow of the double. */
export const DOUBLE_ESCROW = `0x${'e5'.repeat(20)}`;
/** The token of the double. */
export const DOUBLE_TOKEN = `0x${'70'.repeat(20)}`;
/** The chain of the double. */
export const DOUBLE_NETWORK = 'eip155:31337';

const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-04T00:00:00.000Z';

/** What was asked of the double, in order. */
export interface Asked {
  readonly call: string;
  readonly by: WalletCall | undefined;
  readonly detail: unknown;
}

/** A board without actors and chain: it remembers what was asked, and answers in the real forms. */
export class BoardDouble implements WorkBoard {
  readonly asked: Asked[] = [];
  readonly #requests = new Map<string, RequestView>();
  readonly #jobs = new Map<string, JobView>();
  readonly #bids = new Map<string, BidView>();
  #refusal: AppError | undefined;

  /** Thrown by the next call that brings a payment. */
  refuseNext(error: AppError): void {
    this.#refusal = error;
  }

  async postRequest(
    order: Parameters<WorkBoard['postRequest']>[0],
    by: WalletCall,
  ): Promise<RequestView> {
    this.#note('post', by, order);
    const request = requestOf(`req_${this.#requests.size + 1}`, by.wallet, order);
    this.#requests.set(request.request_id, request);
    return request;
  }

  async listOpenRequests(options: Parameters<WorkBoard['listOpenRequests']>[0]) {
    this.#note('open', undefined, options);
    return { rows: [...this.#requests.values()].slice(0, options.limit), cursor: null };
  }

  async readRequest(id: string): Promise<RequestView> {
    return found(this.#requests, id, 'REQUEST_UNKNOWN');
  }

  async withdrawRequest(id: string, by: WalletCall): Promise<RequestView> {
    this.#note('withdraw', by, id);
    const request = await this.readRequest(id);
    own(request.buyer, by);
    return { ...request, state: 'withdrawn' };
  }

  async placeBid(
    id: string,
    bid: Parameters<WorkBoard['placeBid']>[1],
    by: WalletCall,
  ): Promise<BidView> {
    this.#note('bid', by, bid);
    await this.readRequest(id);
    const view: BidView = {
      bid_id: `bid_${this.#bids.size + 1}`,
      request_id: id,
      provider: by.wallet,
      provider_agent: null,
      price: toMoney(bid.priceMicroUsd),
      note: bid.note,
      at: AT,
      status: 'open',
    };
    this.#bids.set(view.bid_id, view);
    return view;
  }

  async withdrawBid(id: string, by: WalletCall): Promise<BidView> {
    this.#note('withdrawBid', by, id);
    return { ...found(this.#bids, id, 'BID_UNKNOWN'), status: 'withdrawn' };
  }

  async acceptBid(id: string, payment: PaymentPayload | undefined, by: WalletCall) {
    this.#note('accept', by, payment);
    const bid = found(this.#bids, id, 'BID_UNKNOWN');
    const request = await this.readRequest(bid.request_id);
    own(request.buyer, by);
    return this.#begin(request, bid.provider, payment);
  }

  async startJob(id: string, payment: PaymentPayload | undefined, by: WalletCall) {
    this.#note('begin', by, payment);
    const request = await this.readRequest(id);
    return this.#begin(request, request.provider ?? by.wallet, payment);
  }

  async readJob(id: string): Promise<JobView> {
    return found(this.#jobs, id, 'JOB_UNKNOWN');
  }

  async listJobs(options: Parameters<WorkBoard['listJobs']>[0]) {
    this.#note('jobs', undefined, options);
    return { rows: [...this.#jobs.values()], cursor: null };
  }

  async fulfil(
    id: string,
    work: Parameters<WorkBoard['fulfil']>[1],
    signature: string | undefined,
    by: WalletCall,
  ): Promise<JobView> {
    this.#note('fulfil', by, { ...work, signature });
    return this.readJob(id);
  }

  async complete(id: string, proof: Parameters<WorkBoard['complete']>[1], by: WalletCall) {
    this.#note('complete', by, proof);
    return { kind: 'job' as const, job: await this.readJob(id) };
  }

  async dispute(id: string, reason: string, signature: string | undefined, by: WalletCall) {
    this.#note('dispute', by, { reason, signature });
    return this.readJob(id);
  }

  async withdrawDispute(id: string, signature: string | undefined, by: WalletCall) {
    this.#note('withdrawDispute', by, signature);
    return this.readJob(id);
  }

  async giveBack(id: string, signature: string | undefined, by: WalletCall) {
    this.#note('giveBack', by, signature);
    return this.readJob(id);
  }

  async decide(id: string, verdict: Parameters<WorkBoard['decide']>[1]) {
    this.#note('decide', undefined, verdict);
    return this.readJob(id);
  }

  async readDeliverable(id: string, by: WalletCall) {
    this.#note('deliverable', by, id);
    const job = await this.readJob(id);
    if (by.wallet !== job.provider) throw new AppError('DELIVERABLE_HELD');
    return { bytes: Buffer.from('<b>work</b>'), mimeType: 'text/html' };
  }

  #begin(request: RequestView, provider: string, payment: PaymentPayload | undefined): WorkOutcome {
    if (payment === undefined) {
      const requirements = requirementsOf(request);
      return {
        kind: 'payment_required',
        payment: { requirements, description: 'Funds the job.' },
      };
    }
    const refusal = this.#refusal;
    this.#refusal = undefined;
    if (refusal !== undefined) throw refusal;
    const job = jobOf(request, provider);
    this.#jobs.set(job.job_id, job);
    return { kind: 'job', job, transaction: `0x${'7a'.repeat(32)}` };
  }

  #note(call: string, by: WalletCall | undefined, detail: unknown): void {
    this.asked.push({ call, by, detail });
  }
}

function found<Value>(
  map: ReadonlyMap<string, Value>,
  id: string,
  code: 'BID_UNKNOWN' | 'JOB_UNKNOWN' | 'REQUEST_UNKNOWN',
): Value {
  const value = map.get(id);
  if (value === undefined) throw new AppError(code, { data: { received: id } });
  return value;
}

function own(party: string, by: WalletCall): void {
  if (party === by.wallet) return;
  throw new AppError('NOT_THE_PARTY', { data: { received: by.wallet, allowed: party } });
}

function requirementsOf(request: RequestView): PaymentRequirements {
  return {
    scheme: 'exact',
    network: DOUBLE_NETWORK,
    amount: request.budget.micro_usd,
    asset: DOUBLE_TOKEN,
    payTo: DOUBLE_ESCROW,
    maxTimeoutSeconds: 300,
    extra: {
      name: 'Test Dollar',
      version: '2',
      paymentFlow: 'upfront',
      feeBps: 2000,
      jobId: `0x${'1b'.repeat(32)}`,
    },
  };
}

function requestOf(
  id: string,
  buyer: string,
  order: Parameters<WorkBoard['postRequest']>[0],
): RequestView {
  return {
    request_id: id,
    buyer,
    capability_id: order.capabilityId,
    task_description: order.taskDescription,
    budget: toMoney(order.budgetMicroUsd),
    funding: order.funding,
    provider: order.provider ?? null,
    state: 'open',
    posted_at: AT,
    open_until: LATER,
    fulfil_by: LATER,
    bids: [],
    job_id: null,
    moves: [],
  };
}

function jobOf(request: RequestView, provider: string): JobView {
  return {
    job_id: 'job_1',
    request_id: request.request_id,
    bid_id: null,
    escrow_key: `0x${'ce'.repeat(32)}`,
    buyer: request.buyer,
    provider,
    funding: request.funding,
    state: 'escrowed',
    fulfil_by: LATER,
    release: {
      price: request.budget,
      fee_bps: 2000,
      fee: toMoney('0'),
      net: toMoney('0'),
      payee: provider,
      treasury: `0x${'77'.repeat(20)}`,
      chain: DOUBLE_NETWORK,
      deadline: null,
      on_deadline: 'auto_release',
      how_to_release: [],
    },
    payout: null,
    refund: null,
    owed: null,
    deliverable_sha256: null,
    dispute: null,
    payer_binding: null,
    src: null,
    facts: [],
    moves: [],
    last_error: null,
  };
}
