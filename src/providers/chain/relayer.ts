import type { Hex } from 'viem';
import { concatHex, keccak256, serializeTransaction } from 'viem/utils';
import { toAppError } from '../../domain/error.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { ChainRpc, RpcRefusal } from './chain-rpc.ts';
import type { Fees } from './fees.ts';
import type { RawJournal, RawTransaction } from './raw-journal.ts';
import { type DigestSigner, signatureParts } from './signature.ts';

/** A call to be made on the chain, paid for by the operator. */
export interface RelayOrder {
  /** Absent when a contract is created. */
  readonly to?: Hex;
  readonly data: Hex;
  readonly gas: bigint;
  /** `payer:nonce` of the authorization that it carries. */
  readonly key?: string;
}

/** `unsent`: surely not on its way. `unknown`: sent without an answer. */
export type Broadcast =
  | { readonly state: 'sent'; readonly hash: Hex }
  | { readonly state: 'refused'; readonly refusal: RpcRefusal }
  | { readonly state: 'unsent'; readonly detail: string }
  | { readonly state: 'unknown'; readonly hash: Hex | null; readonly detail: string };

/** The one sender of transactions of an operator key. */
export interface Relayer {
  send(order: RelayOrder): Promise<Broadcast>;
  /** Reads the next nonce from the chain again, after a restart of the node. */
  forgetNonce(): void;
  /** Lets the batch under way end and holds further ones back. @returns What lets them go on. */
  pause(): Promise<() => void>;
}

/** What a relayer stands on. */
export interface RelayerParts {
  readonly rpc: ChainRpc;
  readonly journal: RawJournal;
  readonly operator: DigestSigner;
  readonly chainId: number;
  readonly fees: () => Promise<Fees>;
  readonly now: () => number;
  /**
   * Stands behind the data of every call, where contracts do not read. Two servers with one key
   * would sign the same bytes for the same payment, and neither could tell whose they are.
   */
  readonly mark?: Hex;
}

/** Orders that wait at the most; more are refused at once. */
export const RELAYER_WAITING_MAX = 1_000;
const BATCH_MAX = 32;
const TRIES_MAX = 3;

interface Job {
  readonly order: RelayOrder;
  readonly done: (outcome: Broadcast) => void;
  tries: number;
}

/**
 * Opens the queue. Orders go out in batches: nonces in a row, all signed and on disk before the
 * first is sent. The nonce is counted here and read again from the chain after any doubt, so a
 * lost answer leaves no gap that would hold up later ones.
 */
export function openRelayer(parts: RelayerParts): Relayer {
  return new NonceQueue(parts);
}

class NonceQueue implements Relayer {
  readonly #parts: RelayerParts;
  readonly #waiting: Job[] = [];
  #nonce: number | undefined;
  #isRunning = false;
  #gate: Promise<void> | undefined;
  #batch: Promise<void> = Promise.resolve();

  constructor(parts: RelayerParts) {
    this.#parts = parts;
  }

  send(order: RelayOrder): Promise<Broadcast> {
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
      // The journal failed in the middle: some may be on their way. An outcome given stays.
      this.#nonce = undefined;
      const detail = toAppError(thrown).message;
      for (const job of jobs) job.done({ state: 'unknown', hash: null, detail });
    }
  }

  /** Signs a batch and puts it on disk; when that cannot be, nothing of it is sent. */
  async #prepare(jobs: readonly Job[]): Promise<readonly RawTransaction[] | undefined> {
    const parts = this.#parts;
    try {
      const first = this.#nonce ?? (await pendingNonce(parts));
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
    for (const [index, row] of rows.entries()) {
      const outcome = await broadcast(this.#parts.rpc, row);
      if (outcome.state === 'sent') {
        jobs[index]?.done(outcome);
        continue;
      }
      // What follows has a nonce behind a gap: it was not sent and is made again.
      this.#nonce = undefined;
      const isStale = outcome.state === 'refused' && /nonce/i.test(outcome.refusal.message);
      if (!isStale) jobs[index]?.done(outcome);
      const from = isStale ? index : index + 1;
      if (outcome.state === 'refused') this.#parts.journal.drop(row.hash);
      this.#again(jobs.slice(from), rows.slice(from));
      return;
    }
  }

  #again(jobs: readonly Job[], rows: readonly RawTransaction[]): void {
    for (const row of rows) this.#parts.journal.drop(row.hash);
    for (const job of jobs) job.tries += 1;
    for (const job of jobs.filter((each) => each.tries >= TRIES_MAX)) {
      job.done({ state: 'unsent', detail: 'the chain took no transaction of ours' });
    }
    this.#waiting.unshift(...jobs.filter((each) => each.tries < TRIES_MAX));
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

async function broadcast(rpc: ChainRpc, { raw, hash }: RawTransaction): Promise<Broadcast> {
  try {
    const answer = await rpc.ask<Hex>('eth_sendRawTransaction', [raw]);
    if (answer.ok) return { state: 'sent', hash };
    // A node that has it already refuses it a second time.
    const known = await rpc.call<unknown>('eth_getTransactionByHash', [hash]);
    return known === null ? { state: 'refused', refusal: answer.refusal } : { state: 'sent', hash };
  } catch (thrown) {
    return { state: 'unknown', hash, detail: toAppError(thrown).message };
  }
}
