import type { Hex } from 'viem';
import { concatHex, keccak256, serializeTransaction } from 'viem/utils';
import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type Broadcast, broadcast } from './broadcast.ts';
import type { ChainRpc } from './chain-rpc.ts';
import type { Fees } from './fees.ts';
import type { RawJournal, RawTransaction } from './local/raw-journal.ts';
import { type DigestSigner, splitSignature } from './signature.ts';

/** A contract call that the operator pays for. */
export interface RelayOrder {
  /** Absent when a contract is created. */
  readonly to?: Hex;
  readonly data: Hex;
  readonly gas: bigint;
  /** `payer:nonce` of the authorization that it carries. */
  readonly key?: string;
}

/**
 * The outcome of sending an order. `unsent`: certainly not pending. `unknown`: it may be pending,
 * whatever the node answered. There is no third case: a node accepts a transaction without
 * executing it.
 */
export type SendOutcome =
  | { readonly state: 'sent'; readonly hash: Hex }
  | { readonly state: 'unsent'; readonly detail: string }
  | { readonly state: 'unknown'; readonly hash: Hex | null; readonly detail: string };

/** The only sender of transactions for an operator key. */
export interface Relayer {
  send(order: RelayOrder): Promise<SendOutcome>;
  /** Discards the counted nonce, so that it is read again from the chain. */
  resetNonce(): void;
  /** Waits for the current batch and holds back further ones. @returns A function that resumes. */
  pause(): Promise<() => void>;
}

/** The dependencies of a relayer. */
export interface RelayerDeps {
  readonly rpc: ChainRpc;
  readonly journal: RawJournal;
  readonly operator: DigestSigner;
  readonly chainId: number;
  readonly fees: () => Promise<Fees>;
  readonly now: () => number;
  /**
   * Whether the node is a trusted child. Transactions that it rejects are removed from the journal,
   * so that no replay sends them. Transactions sent to any other node stay in the journal.
   */
  readonly isOwnNode?: boolean;
  /**
   * Appended to the data of every call, where contracts do not read it. Otherwise two servers with
   * one key would sign the same bytes for the same payment and could not tell whose they are.
   */
  readonly dataSuffix?: Hex;
}

/** Most orders in the queue. Further ones are rejected at once. */
export const RELAYER_QUEUE_MAX = 1_000;
const BATCH_MAX = 32;
const TRIES_MAX = 5;

interface QueuedOrder {
  readonly order: RelayOrder;
  readonly resolve: (outcome: SendOutcome) => void;
  tries: number;
}

/**
 * Creates the queue. Orders are sent in batches with consecutive nonces, and all are signed and on
 * disk before the first is sent. The nonce is counted here and read from the chain again after any
 * doubt, so a lost answer leaves no gap that would block later orders. viem's `nonceManager` hands
 * out a nonce before the transaction is on disk.
 */
export function createRelayer(parts: RelayerDeps): Relayer {
  return new NonceQueue(parts);
}

class NonceQueue implements Relayer {
  readonly #parts: RelayerDeps;
  readonly #queue: QueuedOrder[] = [];
  #nonce: number | undefined;
  /** Lowest nonce that is not known to be taken. A node that lags behind reports lower ones. */
  #minNonce = 0;
  #isRunning = false;
  #gate: Promise<void> | undefined;
  #batch: Promise<void> = Promise.resolve();

  constructor(parts: RelayerDeps) {
    this.#parts = parts;
  }

  send(order: RelayOrder): Promise<SendOutcome> {
    return new Promise((resolve) => {
      if (this.#queue.length >= RELAYER_QUEUE_MAX) {
        resolve({ state: 'unsent', detail: 'too many transactions are waiting' });
        return;
      }
      this.#queue.push({ order, resolve: resolve, tries: 0 });
      void this.#drain();
    });
  }

  resetNonce(): void {
    this.#nonce = undefined;
  }

  async pause(): Promise<() => void> {
    let resume: () => void = () => undefined;
    this.#gate = new Promise((resolve) => {
      resume = resolve;
    });
    await this.#batch;
    return () => {
      this.#gate = undefined;
      resume();
    };
  }

  async #drain(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#queue.length > 0) {
      if (this.#gate !== undefined) await this.#gate;
      this.#batch = this.#sendBatch(this.#queue.splice(0, BATCH_MAX));
      await this.#batch;
    }
    this.#isRunning = false;
  }

  async #sendBatch(jobs: readonly QueuedOrder[]): Promise<void> {
    try {
      const rows = await this.#prepare(jobs);
      if (rows !== undefined) await this.#sendAll(jobs, rows);
    } catch (thrown) {
      // The journal failed halfway, so some may be pending. Outcomes already reported stay.
      this.#nonce = undefined;
      const detail = toAppError(thrown).message;
      for (const job of jobs) job.resolve({ state: 'unknown', hash: null, detail });
    }
  }

  /** Signs a batch and writes it to disk. If that fails, none of it is sent. */
  async #prepare(jobs: readonly QueuedOrder[]): Promise<readonly RawTransaction[] | undefined> {
    const parts = this.#parts;
    try {
      const first = this.#nonce ?? Math.max(this.#minNonce, await readPendingNonce(parts));
      this.#minNonce = 0;
      const fees = await parts.fees();
      const rows = jobs.map((job, index) => signTransaction(parts, job.order, first + index, fees));
      this.#nonce = first + rows.length;
      await parts.journal.append(rows);
      return rows;
    } catch (thrown) {
      this.#nonce = undefined;
      for (const job of jobs) job.resolve({ state: 'unsent', detail: toAppError(thrown).message });
      return undefined;
    }
  }

  async #sendAll(jobs: readonly QueuedOrder[], rows: readonly RawTransaction[]): Promise<void> {
    const { rpc, journal, isOwnNode = false } = this.#parts;
    for (const [index, row] of rows.entries()) {
      const outcome = await broadcast(rpc, row, journal);
      if (outcome.state === 'sent') {
        jobs[index]?.resolve({ state: 'sent', hash: row.hash });
        continue;
      }
      // The rest have nonces behind a gap. They were not sent and are signed again.
      this.#nonce = undefined;
      const report = toSendOutcome(outcome, row.hash);
      if (report !== undefined) jobs[index]?.resolve(report);
      if (outcome.state === 'nonce_taken') this.#minNonce = row.nonce + 1;
      if (isOwnNode && outcome.state !== 'unknown') journal.drop(row.hash);
      this.#requeue(jobs.slice(report === undefined ? index : index + 1), rows.slice(index + 1));
      return;
    }
  }

  #requeue(jobs: readonly QueuedOrder[], rows: readonly RawTransaction[]): void {
    for (const row of rows) this.#parts.journal.drop(row.hash);
    for (const job of jobs) job.tries += 1;
    for (const job of jobs.filter((each) => each.tries >= TRIES_MAX)) {
      job.resolve({ state: 'unsent', detail: 'the chain accepted no transaction of this server' });
    }
    this.#queue.unshift(...jobs.filter((each) => each.tries < TRIES_MAX));
  }
}

/** Returns the outcome for the caller, or `undefined` if the order is sent with another nonce. */
function toSendOutcome(outcome: Broadcast, hash: Hex): SendOutcome | undefined {
  switch (outcome.state) {
    case 'sent':
      return { state: 'sent', hash };
    case 'unsent':
      return { state: 'unsent', detail: outcome.detail };
    case 'unknown':
      return { state: 'unknown', hash, detail: outcome.detail };
    case 'nonce_taken':
    case 'nonce_ahead':
      return undefined;
  }
}

async function readPendingNonce({ rpc, operator }: RelayerDeps): Promise<number> {
  return Number(await rpc.call<Hex>('eth_getTransactionCount', [operator.address, 'pending']));
}

function signTransaction(
  { operator, chainId, now, dataSuffix }: RelayerDeps,
  { to, data: asked, gas, key }: RelayOrder,
  nonce: number,
  fees: Fees,
): RawTransaction {
  const data =
    to === undefined || dataSuffix === undefined ? asked : concatHex([asked, dataSuffix]);
  const transaction = {
    ...({ type: 'eip1559', chainId, nonce, data, gas, value: 0n, ...fees } as const),
    ...(to === undefined ? {} : { to }),
  };
  const digest = keccak256(serializeTransaction(transaction), 'bytes');
  const raw = serializeTransaction(transaction, splitSignature(operator.sign(digest)));
  const atS = Math.floor(now() / SECOND_MS);
  return { hash: keccak256(raw), raw, nonce, atS, ...(key === undefined ? {} : { key }) };
}
