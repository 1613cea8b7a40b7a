import type { Hex } from 'viem';
import { concatHex, keccak256, serializeTransaction } from 'viem/utils';
import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type Broadcast, broadcast } from './broadcast.ts';
import type { ChainRpc } from './chain-rpc.ts';
import type { Fees } from './fees.ts';
import type { RawJournal, RawTransaction } from './local/raw-journal.ts';
import { type DigestSigner, signatureParts } from './signature.ts';

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
export type Sent =
  | { readonly state: 'sent'; readonly hash: Hex }
  | { readonly state: 'unsent'; readonly detail: string }
  | { readonly state: 'unknown'; readonly hash: Hex | null; readonly detail: string };

/** The only sender of transactions for an operator key. */
export interface Relayer {
  send(order: RelayOrder): Promise<Sent>;
  /** Discards the counted nonce, so that it is read again from the chain. */
  forgetNonce(): void;
  /** Waits for the current batch and holds back further ones. @returns A function that resumes. */
  pause(): Promise<() => void>;
}

/** The dependencies of a relayer. */
export interface RelayerParts {
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
  readonly mark?: Hex;
}

/** Most orders in the queue. Further ones are rejected at once. */
export const RELAYER_WAITING_MAX = 1_000;
const BATCH_MAX = 32;
const TRIES_MAX = 5;

interface Job {
  readonly order: RelayOrder;
  readonly done: (outcome: Sent) => void;
  tries: number;
}

/**
 * Creates the queue. Orders are sent in batches with consecutive nonces, and all are signed and on
 * disk before the first is sent. The nonce is counted here and read from the chain again after any
 * doubt, so a lost answer leaves no gap that would block later orders.
 */
export function openRelayer(parts: RelayerParts): Relayer {
  return new NonceQueue(parts);
}

class NonceQueue implements Relayer {
  readonly #parts: RelayerParts;
  readonly #waiting: Job[] = [];
  #nonce: number | undefined;
  /** Lowest nonce that is not known to be taken. A node that lags behind reports lower ones. */
  #nonceLeast = 0;
  #isRunning = false;
  #gate: Promise<void> | undefined;
  #batch: Promise<void> = Promise.resolve();

  constructor(parts: RelayerParts) {
    this.#parts = parts;
  }

  send(order: RelayOrder): Promise<Sent> {
    return new Promise((resolve) => {
      if (this.#waiting.length >= RELAYER_WAITING_MAX) {
        resolve({ state: 'unsent', detail: 'too many transactions are waiting' });
        return;
      }
      this.#waiting.push({ order, done: resolve, tries: 0 });
      void this.#run();
    });
  }

  forgetNonce(): void {
    this.#nonce = undefined;
  }

  async pause(): Promise<() => void> {
    let open: () => void = () => undefined;
    this.#gate = new Promise((resolve) => {
      open = resolve;
    });
    await this.#batch;
    return () => {
      this.#gate = undefined;
      open();
    };
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      if (this.#gate !== undefined) await this.#gate;
      this.#batch = this.#guarded(this.#waiting.splice(0, BATCH_MAX));
      await this.#batch;
    }
    this.#isRunning = false;
  }

  async #guarded(jobs: readonly Job[]): Promise<void> {
    try {
      const rows = await this.#prepare(jobs);
      if (rows !== undefined) await this.#sendAll(jobs, rows);
    } catch (thrown) {
      // The journal failed halfway, so some may be pending. Outcomes already reported stay.
      this.#nonce = undefined;
      const detail = toAppError(thrown).message;
      for (const job of jobs) job.done({ state: 'unknown', hash: null, detail });
    }
  }

  /** Signs a batch and writes it to disk. If that fails, none of it is sent. */
  async #prepare(jobs: readonly Job[]): Promise<readonly RawTransaction[] | undefined> {
    const parts = this.#parts;
    try {
      const first = this.#nonce ?? Math.max(this.#nonceLeast, await pendingNonce(parts));
      this.#nonceLeast = 0;
      const fees = await parts.fees();
      const rows = jobs.map((job, index) => sign(parts, job.order, first + index, fees));
      this.#nonce = first + rows.length;
      await parts.journal.append(rows);
      return rows;
    } catch (thrown) {
      this.#nonce = undefined;
      for (const job of jobs) job.done({ state: 'unsent', detail: toAppError(thrown).message });
      return undefined;
    }
  }

  async #sendAll(jobs: readonly Job[], rows: readonly RawTransaction[]): Promise<void> {
    const { rpc, journal, isOwnNode = false } = this.#parts;
    for (const [index, row] of rows.entries()) {
      const outcome = await broadcast(rpc, row, journal);
      if (outcome.state === 'sent') {
        jobs[index]?.done({ state: 'sent', hash: row.hash });
        continue;
      }
      // The rest have nonces behind a gap. They were not sent and are signed again.
      this.#nonce = undefined;
      const report = reportOf(outcome, row.hash);
      if (report !== undefined) jobs[index]?.done(report);
      if (outcome.state === 'nonce_taken') this.#nonceLeast = row.nonce + 1;
      if (isOwnNode && outcome.state !== 'unknown') journal.drop(row.hash);
      this.#again(jobs.slice(report === undefined ? index : index + 1), rows.slice(index + 1));
      return;
    }
  }

  #again(jobs: readonly Job[], rows: readonly RawTransaction[]): void {
    for (const row of rows) this.#parts.journal.drop(row.hash);
    for (const job of jobs) job.tries += 1;
    for (const job of jobs.filter((each) => each.tries >= TRIES_MAX)) {
      job.done({ state: 'unsent', detail: 'the chain accepted no transaction of this server' });
    }
    this.#waiting.unshift(...jobs.filter((each) => each.tries < TRIES_MAX));
  }
}

/** Returns the outcome for the caller, or `undefined` if the order is sent with another nonce. */
function reportOf(outcome: Broadcast, hash: Hex): Sent | undefined {
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

async function pendingNonce({ rpc, operator }: RelayerParts): Promise<number> {
  return Number(await rpc.call<Hex>('eth_getTransactionCount', [operator.address, 'pending']));
}

function sign(
  { operator, chainId, now, mark }: RelayerParts,
  { to, data: asked, gas, key }: RelayOrder,
  nonce: number,
  fees: Fees,
): RawTransaction {
  const data = to === undefined || mark === undefined ? asked : concatHex([asked, mark]);
  const transaction = {
    ...({ type: 'eip1559', chainId, nonce, data, gas, value: 0n, ...fees } as const),
    ...(to === undefined ? {} : { to }),
  };
  const digest = keccak256(serializeTransaction(transaction), 'bytes');
  const raw = serializeTransaction(transaction, signatureParts(operator.sign(digest)));
  const atS = Math.floor(now() / SECOND_MS);
  return { hash: keccak256(raw), raw, nonce, atS, ...(key === undefined ? {} : { key }) };
}
