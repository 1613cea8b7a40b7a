import { type JobView as Job, JobView, RequestView } from '../../src/domain/escrow/work.ts';
import type { PassportView } from '../../src/domain/passport/passport.ts';

const BUYER = `0x${'b'.repeat(40)}`;
const PROVIDER = `0x${'c'.repeat(40)}`;
const SOON = '2099-01-01T00:00:00.000Z';
const BEFORE = '2026-01-01T00:00:00.000Z';

/** Money of the wire. */
export function dollars(amount: string) {
  const micro = String(Math.round(Number(amount) * 1_000_000));
  return { amount, currency: 'USD', micro_usd: micro } as const;
}

/** An open request with one bid. */
export function openRequest(over: Partial<RequestView> = {}): RequestView {
  return RequestView.parse({
    request_id: 'req_1',
    buyer: BUYER,
    capability_id: 'translation.zh-en',
    task_description: 'Translate twelve pages.\n<b>All of them</b>.',
    budget: dollars('12.00'),
    funding: 'escrow',
    provider: null,
    state: 'open',
    posted_at: BEFORE,
    open_until: SOON,
    fulfil_by: SOON,
    bids: [
      {
        bid_id: 'bid_1',
        request_id: 'req_1',
        provider: PROVIDER,
        provider_agent: 'atlas',
        price: dollars('10.00'),
        note: 'By Friday.',
        at: BEFORE,
        status: 'open',
      },
    ],
    job_id: null,
    moves: [],
    ...over,
  });
}

/** A fulfilled job in escrow. */
export function fulfilledJob(over: Partial<Job> = {}): Job {
  return JobView.parse({
    job_id: 'job_0123456789abcdef0123456789abcdef',
    request_id: 'req_1',
    bid_id: 'bid_1',
    escrow_key: `0x${'e'.repeat(64)}`,
    buyer: BUYER,
    provider: PROVIDER,
    funding: 'escrow',
    state: 'fulfilled.waiting',
    fulfil_by: SOON,
    release: {
      price: dollars('10.00'),
      fee_bps: 2000,
      fee: dollars('2.00'),
      net: dollars('8.00'),
      payee: PROVIDER,
      treasury: `0x${'d'.repeat(40)}`,
      chain: 'eip155:31337',
      deadline: SOON,
      on_deadline: 'auto_release',
      how_to_release: ['The buyer signs the move release.'],
    },
    payout: null,
    refund: null,
    owed: null,
    deliverable_sha256: 'a'.repeat(64),
    dispute: null,
    payer_binding: { payer: BUYER, registered_wallet: null, match: null },
    src: null,
    facts: [
      { fact: 'JobEscrowed', transaction: `0x${'1'.repeat(64)}`, block: 7, log_index: 0 },
      { fact: 'JobFulfilled', transaction: `0x${'2'.repeat(64)}`, block: 9, log_index: 0 },
    ],
    moves: [
      { move: 'complete', by: 'buyer', how: 'POST /a2a/jobs/{id}/complete' },
      { move: 'dispute', by: 'buyer', how: 'POST /a2a/jobs/{id}/dispute' },
    ],
    last_error: null,
    ...over,
  });
}

/** A passport in the operator's custody. */
export function passport(over: Partial<PassportView> = {}): PassportView {
  const registry = `eip155:31337:0x${'a'.repeat(40)}`;
  return {
    name: 'atlas',
    agent_id: `${registry}:7`,
    erc8004: { agent_registry: registry, id: '7', agent_uri: 'http://127.0.0.1/x.json' },
    operator_id: 'op-1',
    agent_class: 'translator',
    wallet: PROVIDER,
    owner: `0x${'d'.repeat(40)}`,
    custody: 'operator',
    registered_at: BEFORE,
    registration_tx: `0x${'3'.repeat(64)}`,
    status: 'active',
    revoked: null,
    delegations: [],
    ...over,
  };
}

/** Balances that cover the open jobs. */
export function balances(over: Readonly<Record<string, unknown>> = {}) {
  return {
    chain: 'eip155:31337',
    token: `0x${'1'.repeat(40)}`,
    treasury: { address: `0x${'d'.repeat(40)}`, balance: dollars('1000.00') },
    escrow: {
      address: `0x${'e'.repeat(40)}`,
      balance: dollars('10.00'),
      held: dollars('10.00'),
      owed: dollars('0.00'),
      unaccounted: dollars('0.00'),
    },
    open_jobs: { count: 1, amount: dollars('10.00') },
    solvent: true,
    as_of_block: 12,
    ...over,
  };
}

/** A released job, as the feed of events tells it. */
export function releasedEvent(seq: number) {
  return {
    seq,
    at: BEFORE,
    type: 'job.released',
    ref: 'job_1',
    subjects: [BUYER, PROVIDER],
    data: { buyer: BUYER, provider: PROVIDER, price: '10000000', net: '8000000', fee: '2000000' },
  };
}
