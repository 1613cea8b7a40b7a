import { toHex } from 'viem';
import type { EscrowMove, PartyMove } from '../../../src/domain/chain/trust-chain.ts';
import { encodeMove } from '../../../src/providers/escrow/moves.ts';
import { createParty, fundingOf, type Party, signMove, termsOf } from '../trust-parties.ts';
import { type MoneyRun, tellEnd } from './money-run.ts';
import { BLOCK_MS, JOB } from './money-world.ts';
import { FAR } from './play-payments.ts';
import { encodeFunding } from './strangers.ts';

interface FundedJob {
  readonly buyer: Party;
  readonly provider: Party;
  readonly key: string;
}

const NET = '8000000';
const FEE = '2000000';
const DAY_S = 86_400;
/** How long a delivered job waits for its release, in seconds, and a little more. */
const RELEASE_WINDOW_S = 3 * DAY_S + 60;
/** How often somebody else brings what a party has signed. */
const BROUGHT = 0.2;
const WORD = toHex(7, { size: 32 });

export async function playRelease(run: MoneyRun): Promise<void> {
  const job = await fund(run);
  if (job !== undefined) await release(run, job, { move: 'release' });
}

export async function playGiveBack(run: MoneyRun): Promise<void> {
  const job = await fund(run);
  if (job !== undefined) await refund(run, job, { move: 'giveBack' });
}

/** Delivered, disputed, and decided for one of the two. */
export async function playDecided(run: MoneyRun): Promise<void> {
  const job = await fund(run);
  if (job === undefined) return;
  if (!(await move(run, job, { move: 'fulfil', deliverable: WORD }))) return;
  if (!(await move(run, job, { move: 'dispute', reason: WORD }))) return;
  const isForProvider = run.random() < 0.5;
  const decision = { move: 'decide', isForProvider, verdict: WORD } as const;
  await (isForProvider ? release(run, job, decision) : refund(run, job, decision));
}

/** Delivered, and never released by its buyer. */
export async function playExpired(run: MoneyRun): Promise<void> {
  const job = await fund(run);
  if (job === undefined) return;
  if (!(await move(run, job, { move: 'fulfil', deliverable: WORD }))) return;
  await run.pass(RELEASE_WINDOW_S);
  await release(run, job, { move: 'settleExpired' });
}

/** Never delivered. */
export async function playUnfulfilled(run: MoneyRun): Promise<void> {
  const job = await fund(run);
  if (job === undefined) return;
  await run.pass(DAY_S + 60);
  await refund(run, job, { move: 'refundUnfulfilled' });
}

/** Money that somebody brought to the escrow, and that becomes no job. */
export async function playOrphan(run: MoneyRun): Promise<void> {
  const { order, buyer } = await sign(run, 'exact');
  run.strangers.bring(order);
  await run.world.time.rest(6 * BLOCK_MS);
  const { authorization } = order;
  const isThere = (await run.world.truth.balance(buyer.address)) === '0';
  // Where the block of the stranger was lost there is nothing to give back.
  if (!isThere) return;
  const outcome = await run.play((life) => life.trust.escrow.returnOrphan(authorization));
  run.expectState('orphan', outcome, 'done');
  await run.expectHolds(buyer.address, JOB);
}

async function sign(run: MoneyRun, form: 'exact' | 'terms') {
  const { truth, buyer: payer } = run.world;
  const { facts, trust } = truth;
  const [buyer, provider] = [createParty(payer.privateKey), createParty()];
  const nowS = await trust.nowS();
  const terms = termsOf({ buyer, provider }, nowS, { amount: JOB, fulfilByS: nowS + DAY_S });
  const overrides = { validBefore: FAR };
  const order = await fundingOf({ facts, trust, buyer, terms, nowS, form, overrides });
  return { order, buyer, provider, key: trust.escrow.computeKey(terms) };
}

async function fund(run: MoneyRun): Promise<FundedJob | undefined> {
  const { order, ...job } = await sign(run, run.one(['exact', 'terms']));
  if (run.random() < BROUGHT) {
    const escrow = run.world.chain.contracts.escrow ?? '0x';
    if (order.form === 'exact') run.strangers.bring(order);
    else run.strangers.send({ to: escrow, data: encodeFunding(order) }, 4 * BLOCK_MS);
  }
  const outcome = await run.play((life) => life.trust.escrow.fund(order));
  if (!run.expectState('fund', outcome, 'done')) return undefined;
  tellEnd(run, 'job.escrowed', outcome, about(job));
  await run.expectHolds(job.buyer.address, '0');
  return job;
}

async function release(run: MoneyRun, job: FundedJob, by: Unsigned): Promise<void> {
  const outcome = await move(run, job, by);
  if (outcome === undefined) return;
  tellEnd(run, 'job.released', outcome, {
    ...about(job),
    net: NET,
    fee: FEE,
    fee_bps: 2000,
    deliverable_sha256: null,
    is_automatic: by.move === 'settleExpired',
    is_late: false,
  });
  await run.expectHolds(job.provider.address, NET);
}

async function refund(run: MoneyRun, job: FundedJob, by: Unsigned): Promise<void> {
  const outcome = await move(run, job, by);
  if (outcome === undefined) return;
  const reason = by.move === 'giveBack' ? 'given_back' : 'unfulfilled';
  tellEnd(run, 'job.refunded', outcome, { ...about(job), amount: JOB, reason });
  await run.expectHolds(job.buyer.address, JOB);
}

type Unsigned = PartyMove | Exclude<EscrowMove, { readonly signature: string }>;

/** @returns What became of it, or nothing where it went wrong. */
async function move(run: MoneyRun, job: FundedJob, unsigned: Unsigned) {
  const signed = await signedMove(run, job, unsigned);
  const isBrought = 'signature' in signed && run.random() < BROUGHT;
  const data = encodeMove(job.key, signed);
  const to = run.world.chain.contracts.escrow ?? '0x';
  if (isBrought && data !== undefined) run.strangers.send({ to, data }, 4 * BLOCK_MS);
  const act = () => run.play((life) => life.trust.escrow.move(job.key, signed));
  let outcome = await act();
  if (isBrought && outcome.state === 'refused') {
    // Somebody else has made it, in a block that may leave the chain still.
    await run.world.time.rest(4 * BLOCK_MS);
    outcome = await act();
  }
  return run.expectState(unsigned.move, outcome, 'done') ? outcome : undefined;
}

/** The move with its party's signature, where it is one that a party signs. */
async function signedMove(run: MoneyRun, job: FundedJob, unsigned: Unsigned): Promise<EscrowMove> {
  if (!isByParty(unsigned)) return unsigned;
  const by = BY_BUYER.includes(unsigned.move) ? job.buyer : job.provider;
  const signature = await signMove(run.world.truth.trust, job.key, by, unsigned);
  return { ...unsigned, signature } as EscrowMove;
}

function isByParty(unsigned: Unsigned): unsigned is PartyMove {
  return BY_PARTIES.includes(unsigned.move);
}

const BY_BUYER: readonly string[] = ['release', 'dispute', 'withdrawDispute'];
const BY_PARTIES: readonly string[] = [...BY_BUYER, 'fulfil', 'giveBack'];

function about({ buyer, provider }: Pick<FundedJob, 'buyer' | 'provider'>) {
  const parties = { buyer: buyer.address, provider: provider.address };
  return { ...parties, price: JOB, funding: 'escrow', bid_id: null };
}
