import { definePayment } from '../../src/actors/payment/definition.ts';
import type { EscrowLog, TrustChain } from '../../src/domain/chain/trust-chain.ts';
import type { EscrowCursorStore } from '../../src/domain/escrow/escrow-cursor-store.ts';
import type { JobView } from '../../src/domain/escrow/work.ts';
import type { WalletCall, WorkBoard, WorkOutcome } from '../../src/domain/escrow/work-board.ts';
import type { PaymentChain } from '../../src/domain/payment/payment-chain.ts';
import type { TypedData } from '../../src/domain/wallet/typed-data.ts';
import { type OpenWork, openWork } from '../../src/process/escrow/work.ts';
import { Closers } from '../../src/process/server/closers.ts';
import { openEngine } from '../../src/runtime/engine/engine.ts';
import type { RuntimeClock } from '../../src/runtime/engine/ports.ts';
import type { ActorEngine } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { createMemoryPaymentChain, type MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { type MemoryControls, memoryControls } from './controls.ts';
import { memoryBlobs } from './debate.ts';
import { type Death, Life, mortalChain, mortalStore } from './mortal.ts';
import { createPayer, type Payer } from './payer.ts';
import { drive } from './payment-world.ts';
import { type SigningWallet, signingWallet } from './signing-wallet.ts';

/** What each wallet has at the start, in micro-dollars. */
export const PURSE = 1_000_000_000n;
/** What the treasury of a chain in memory has at the start. */
const TREASURY = 1_000_000_000n;
const START = Date.UTC(2026, 0, 1);

/** A wallet of the board, with the purse that pays for it. */
export interface WorkParty {
  readonly wallet: SigningWallet;
  readonly payer: Payer;
  /** A call of this wallet; the same name is the same call. */
  call(name: string): WalletCall;
}

/** Everything that outlives a process, and the means to begin the next one. */
export interface WorkWorld {
  readonly clock: SimulatedClock;
  readonly chain: MemoryPaymentChain;
  readonly controls: MemoryControls;
  readonly kept: MemoryFollowStore;
  readonly buyer: WorkParty;
  readonly provider: WorkParty;
  readonly stranger: WorkParty;
  readonly passports: Map<string, string>;
  readonly notices: string[];
  start(death?: Death): Promise<WorkProcess>;
  drive<T>(promise: Promise<T>): Promise<T>;
  /** What everybody has, in micro-dollars; nothing is ever lost. */
  books(): { buyer: bigint; provider: bigint; treasury: bigint; escrow: bigint };
}

/** One life of the server. */
export interface WorkProcess extends OpenWork {
  readonly life: Life;
  /** Stops following the chain. */
  stop(): Promise<void>;
  readonly engine: ActorEngine;
}

/** Makes a world with a buyer, a provider and a stranger, on a chain in memory. */
export function workWorld(): WorkWorld {
  const clock = new SimulatedClock(START);
  const parties = { buyer: workParty(), provider: workParty(), stranger: workParty() };
  const purses = Object.values(parties).map(({ wallet }) => [wallet.address, String(PURSE)]);
  const chain = createMemoryPaymentChain({
    now: () => clock.now(),
    balances: Object.fromEntries(purses),
  });
  const balance = (address: string) => chain.ledger.balance(address);
  return {
    ...lifeOver(chain, clock),
    ...parties,
    clock,
    chain,
    drive: (promise) => drive(clock, promise),
    books: () => ({
      buyer: balance(parties.buyer.wallet.address) - PURSE,
      provider: balance(parties.provider.wallet.address) - PURSE,
      treasury: balance(chain.facts.treasury) - TREASURY,
      escrow: balance(chain.trust.contracts.escrow ?? ''),
    }),
  };
}

/** What outlives a process beside its chain, and the means to begin the next one on any chain. */
export function lifeOver(
  chain: PaymentChain & { readonly trust: TrustChain },
  clock: RuntimeClock,
): Pick<WorkWorld, 'controls' | 'kept' | 'passports' | 'notices' | 'start'> {
  const store = memoryStore();
  const blobs = memoryBlobs();
  const kept = memoryFollowStore();
  const controls = memoryControls();
  const passports = new Map<string, string>();
  const notices: string[] = [];
  const find = async (wallet: string) => {
    const registered = passports.get(wallet);
    return registered === undefined
      ? undefined
      : ({ agent_id: `eip155:31337:0x0:${wallet.slice(-4)}`, wallet: registered } as never);
  };
  return {
    controls,
    kept,
    passports,
    notices,
    start: async (death) => {
      const life = new Life(death);
      const mortal = mortalChain(chain, life);
      const setup = openEngine({
        store: mortalStore(store, life),
        clock,
        definitions: [definePayment({ chain: mortal })],
      });
      const closers = new Closers();
      const services = {
        ...setup,
        closers,
        trust: mortalTrust(chain.trust, life),
        chain: mortal,
        clock,
        notice: (line: string) => void notices.push(line),
        blobs,
        passports: { find },
        controls,
      };
      const open = await openWork(services, mortalKept(kept, life));
      await setup.start();
      return { life, engine: setup.engine, ...open, stop: () => closers.closeAll() };
    },
  };
}

/** Follows the escrow in memory. */
export interface MemoryFollowStore extends EscrowCursorStore {
  readonly rows: Map<string, EscrowLog[]>;
  reset(next: number): void;
}

function memoryFollowStore(): MemoryFollowStore {
  const rows = new Map<string, EscrowLog[]>();
  let at = 0;
  return {
    rows,
    reset: (next) => {
      at = next;
    },
    get next() {
      return at;
    },
    save: async (next, unclaimed) => {
      at = next;
      for (const log of unclaimed) rows.set(log.key, [...(rows.get(log.key) ?? []), log]);
    },
    readUnclaimed: (key) => rows.get(key) ?? [],
    deleteUnclaimed: async (key) => void rows.delete(key),
  };
}

function mortalKept(kept: EscrowCursorStore, life: Life): EscrowCursorStore {
  return {
    get next() {
      return kept.next;
    },
    save: (next, unclaimed) => life.step(() => kept.save(next, unclaimed)),
    readUnclaimed: (key) => kept.readUnclaimed(key),
    deleteUnclaimed: (key) => life.step(() => kept.deleteUnclaimed(key)),
  };
}

function mortalTrust(trust: TrustChain, life: Life): TrustChain {
  const { escrow } = trust;
  return {
    ...trust,
    escrow: {
      ...escrow,
      fund: (order) => life.step(() => escrow.fund(order)),
      move: (key, move) => life.step(() => escrow.move(key, move)),
      returnOrphan: (authorization) => life.step(() => escrow.returnOrphan(authorization)),
    },
  };
}

/** Makes a wallet with its purse. */
export function workParty(): WorkParty {
  const wallet = signingWallet();
  return {
    wallet,
    payer: createPayer(wallet.privateKey),
    call: (name) => ({ wallet: wallet.address, key: `${wallet.address}:${name}` }),
  };
}

/** Signs a move as the job tells it; `hash` goes where zeros stand. */
export async function signMove(
  { wallet }: WorkParty,
  job: JobView,
  name: string,
  hash?: string,
): Promise<string> {
  const data = job.moves.find(({ move }) => move === name)?.typed_data as TypedData | undefined;
  if (data === undefined) throw new Error(`${name} is not possible in ${job.state}`);
  const members = Object.entries(data.message).map(([member, value]) =>
    typeof value === 'string' && /^0x0+$/.test(value) && hash !== undefined
      ? [member, `0x${hash}`]
      : [member, value],
  );
  return wallet.sign({ ...data, message: Object.fromEntries(members) });
}

/** A job that must have come of a call. */
export function jobOf(outcome: WorkOutcome): JobView {
  if (outcome.kind === 'job') return outcome.job;
  throw new Error(`payment is required: ${outcome.payment.requirements.amount}`);
}

/** What a call asks to be paid. */
export function askedFor(outcome: WorkOutcome) {
  if (outcome.kind === 'payment_required') return outcome.payment.requirements;
  throw new Error(`nothing is asked for: ${outcome.job.state}`);
}

/** How a request for ten dollars is posted. */
export function tenDollars(funding: 'escrow' | 'on_release', more: object = {}) {
  return {
    capabilityId: 'translation.zh-en',
    taskDescription: 'Translate the attached page.',
    budgetMicroUsd: '10000000',
    funding,
    openMs: 3_600_000,
    fulfilMs: 86_400_000,
    ...more,
  } as const;
}

/** Posts, bids and accepts; in escrow the buyer pays. */
export async function beginTenDollars(
  world: WorkWorld,
  board: WorkBoard,
  funding: 'escrow' | 'on_release',
): Promise<JobView> {
  const { buyer, provider, clock } = world;
  const request = await world.drive(board.postRequest(tenDollars(funding), buyer.call('post')));
  const bid = await world.drive(
    board.placeBid(
      request.request_id,
      { priceMicroUsd: '10000000', note: 'tomorrow' },
      provider.call('bid'),
    ),
  );
  const asked = await world.drive(board.acceptBid(bid.bid_id, undefined, buyer.call('accept')));
  if (asked.kind === 'job') return asked.job;
  const payment = await buyer.payer.pay(askedFor(asked), { now: clock.now() });
  return jobOf(await world.drive(board.acceptBid(bid.bid_id, payment, buyer.call('accept'))));
}
