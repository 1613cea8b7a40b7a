import { AppError } from '../../src/domain/error.ts';
import { money } from '../../src/domain/money.ts';
import type { PaymentPayload, PaymentRequirements } from '../../src/domain/payment.ts';
import type { WalletCall, WorkBoard, WorkOutcome } from '../../src/domain/ports/work-board.ts';
import type { BidView, JobView, RequestView } from '../../src/domain/work/work.ts';

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

/** A board that remembers what was asked of it and answers in the forms of the real one. */
export interface BoardDouble extends WorkBoard {
  readonly asked: Asked[];
  /** Thrown by the next call that changes something with a payment. */
  refuseNext(error: AppError): void;
}

/** Makes a board without actors and chain, for tests of what is in front of it. */
export function boardDouble(): BoardDouble {
  const asked: Asked[] = [];
  const requests = new Map<string, RequestView>();
  const jobs = new Map<string, JobView>();
  const bids = new Map<string, BidView>();
  let refusal: AppError | undefined;
  const note = (call: string, by: WalletCall | undefined, detail: unknown): void => {
    asked.push({ call, by, detail });
  };
  const found = <Value>(
    map: Map<string, Value>,
    id: string,
    code: 'BID_UNKNOWN' | 'JOB_UNKNOWN' | 'REQUEST_UNKNOWN',
  ) => {
    const value = map.get(id);
    if (value === undefined) throw new AppError(code, { data: { received: id } });
    return value;
  };
  const own = (party: string, by: WalletCall): void => {
    if (party === by.wallet) return;
    throw new AppError('NOT_THE_PARTY', { data: { received: by.wallet, allowed: party } });
  };
  const move = (call: string) => async (jobId: string, signature: unknown, by: WalletCall) => {
    note(call, by, signature);
    return found(jobs, jobId, 'JOB_UNKNOWN');
  };
  const begin = (
    request: RequestView,
    provider: string,
    payment: PaymentPayload | undefined,
  ): WorkOutcome => {
    if (payment === undefined) {
      return {
        kind: 'payment_required',
        payment: { requirements: requirementsOf(request), description: 'Funds the job.' },
      };
    }
    if (refusal !== undefined) {
      const error = refusal;
      refusal = undefined;
      throw error;
    }
    const job = jobOf(request, provider);
    jobs.set(job.job_id, job);
    return { kind: 'job', job, transaction: `0x${'7a'.repeat(32)}` };
  };
  return {
    asked,
    refuseNext: (error) => {
      refusal = error;
    },
    post: async (order, by) => {
      note('post', by, order);
      const request = requestOf(`req_${requests.size + 1}`, by.wallet, order);
      requests.set(request.request_id, request);
      return request;
    },
    open: async (options) => {
      note('open', undefined, options);
      return { rows: [...requests.values()].slice(0, options.limit), cursor: null };
    },
    request: async (id) => found(requests, id, 'REQUEST_UNKNOWN'),
    withdraw: async (id, by) => {
      note('withdraw', by, id);
      const request = found(requests, id, 'REQUEST_UNKNOWN');
      own(request.buyer, by);
      return { ...request, state: 'withdrawn' };
    },
    bid: async (requestId, { priceMicroUsd, note: text }, by) => {
      note('bid', by, { priceMicroUsd, text });
      found(requests, requestId, 'REQUEST_UNKNOWN');
      const bid: BidView = {
        bid_id: `bid_${bids.size + 1}`,
        request_id: requestId,
        provider: by.wallet,
        provider_agent: null,
        price: money(priceMicroUsd),
        note: text,
        at: AT,
        status: 'open',
      };
      bids.set(bid.bid_id, bid);
      return bid;
    },
    withdrawBid: async (id, by) => {
      note('withdrawBid', by, id);
      return { ...found(bids, id, 'BID_UNKNOWN'), status: 'withdrawn' };
    },
    accept: async (bidId, payment, by) => {
      note('accept', by, payment);
      const bid = found(bids, bidId, 'BID_UNKNOWN');
      const request = found(requests, bid.request_id, 'REQUEST_UNKNOWN');
      own(request.buyer, by);
      return begin(request, bid.provider, payment);
    },
    begin: async (requestId, payment, by) => {
      note('begin', by, payment);
      const request = found(requests, requestId, 'REQUEST_UNKNOWN');
      return begin(request, request.provider ?? by.wallet, payment);
    },
    job: async (id) => found(jobs, id, 'JOB_UNKNOWN'),
    jobs: async (options) => {
      note('jobs', undefined, options);
      return { rows: [...jobs.values()], cursor: null };
    },
    fulfil: async (jobId, work, signature, by) => {
      note('fulfil', by, { ...work, signature });
      return found(jobs, jobId, 'JOB_UNKNOWN');
    },
    complete: async (jobId, proof, by) => {
      note('complete', by, proof);
      return { kind: 'job', job: found(jobs, jobId, 'JOB_UNKNOWN') };
    },
    dispute: async (jobId, reason, signature, by) => {
      note('dispute', by, { reason, signature });
      return found(jobs, jobId, 'JOB_UNKNOWN');
    },
    withdrawDispute: move('withdrawDispute'),
    giveBack: move('giveBack'),
    decide: async (jobId, verdict) => {
      note('decide', undefined, verdict);
      return found(jobs, jobId, 'JOB_UNKNOWN');
    },
    deliverable: async (jobId, by) => {
      note('deliverable', by, jobId);
      const job = found(jobs, jobId, 'JOB_UNKNOWN');
      if (by.wallet !== job.provider) throw new AppError('DELIVERABLE_HELD');
      return { bytes: Buffer.from('<b>work</b>'), mimeType: 'text/html' };
    },
  };
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
  order: Parameters<WorkBoard['post']>[0],
): RequestView {
  return {
    request_id: id,
    buyer,
    capability_id: order.capabilityId,
    task_description: order.taskDescription,
    budget: money(order.budgetMicroUsd),
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
      fee: money('0'),
      net: money('0'),
      payee: provider,
      treasury: `0x${'77'.repeat(20)}`,
      chain: DOUBLE_NETWORK,
      deadline: null,
      on_deadline: 'auto_release',
      how_to_release: [],
    },
    payout: null,
    deliverable_sha256: null,
    dispute: null,
    payer_binding: null,
    src: null,
    facts: [],
    moves: [],
    last_error: null,
  };
}
