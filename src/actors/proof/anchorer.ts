import type { AnchorContract, TrustChain } from '../../domain/chain/trust-chain.ts';
import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type Checkpoint, parseCheckpoint } from '../../domain/proof/checkpoint.ts';
import { parseNote } from '../../domain/proof/note.ts';
import type { ProofAnchor, ProofLog } from '../../domain/proof/proof-log.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import type { Services } from '../common/services.ts';

/** Wait before the chain is asked again about an unconfirmed anchor, in milliseconds. */
export const ANCHOR_RETRY_MS = 30 * SECOND_MS;

/** Dependencies of the anchorer. */
export interface AnchorerDeps extends Pick<Services, 'notice'> {
  readonly log: ProofLog;
  readonly trust: Pick<TrustChain, 'contracts' | 'operator'> & { readonly anchor: AnchorContract };
  readonly chainId: number;
  /** Real time, because anchoring runs on a wall-clock interval. */
  readonly clock: RuntimeClock;
  readonly everyMs: number;
}

/** Anchoring state of a log. */
export type AnchorState =
  | { readonly state: 'anchored'; readonly anchor: ProofAnchor }
  | { readonly state: 'empty' }
  | { readonly state: 'pending'; readonly reason: string };

/**
 * Periodically anchors a growing log on a chain. It anchors only signed checkpoints on disk, and
 * reports only anchors that the chain has confirmed. Retries, lost answers, and crashes are safe:
 * the contract accepts each size and root once.
 */
export class Anchorer {
  readonly #parts: AnchorerDeps;
  #cancel: () => void = () => undefined;
  #currentRun: Promise<AnchorState> | undefined;
  #reason = NOT_YET;
  #isStopped = false;

  constructor(parts: AnchorerDeps) {
    this.#parts = parts;
    this.#schedule(parts.everyMs);
  }

  /** The reason why the newest records are not anchored yet. */
  get reason(): string {
    return this.#reason;
  }

  /** Anchors the current log. Concurrent callers share one run. */
  anchorNow(): Promise<AnchorState> {
    this.#currentRun ??= this.#anchor().finally(() => {
      this.#currentRun = undefined;
    });
    return this.#currentRun;
  }

  /** Stops after the current run. Remaining records are anchored after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#currentRun?.catch(() => undefined);
  }

  #schedule(afterMs: number): void {
    if (this.#isStopped) return;
    const { clock, everyMs } = this.#parts;
    this.#cancel = clock.at(clock.now() + afterMs, () => {
      this.anchorNow().then(
        ({ state }) => this.#schedule(state === 'pending' ? ANCHOR_RETRY_MS : everyMs),
        (thrown: unknown) => {
          this.#pending(toAppError(thrown).message);
          this.#schedule(ANCHOR_RETRY_MS);
        },
      );
    });
  }

  async #anchor(): Promise<AnchorState> {
    const { log, trust } = this.#parts;
    const newest = parseSignedCheckpoint(await log.checkpoint());
    if (newest.size === 0) return { state: 'empty' };
    const held = await trust.anchor.latest();
    await this.#compare(held);
    if (held === undefined || held.size < newest.size) {
      const outcome = await trust.anchor.anchor(newest.size, `0x${toHex(newest.root)}`);
      if (outcome.state === 'refused') return this.#pending(outcome.fault.message);
    }
    return this.#confirm(newest.size);
  }

  /** Reports only anchors that the chain has confirmed. */
  async #confirm(size: number): Promise<AnchorState> {
    const { log, chainId, clock, trust } = this.#parts;
    const { contracts, operator, anchor } = trust;
    const covering = await anchor.covering(size);
    if (covering === undefined) return this.#pending(UNCONFIRMED);
    if (!this.#isOurs(covering)) return this.#pending(CONTRADICTION);
    this.#reason = NOT_YET;
    const known = log.evidence.findAnchorOf(covering.size - 1);
    const isKnown =
      known?.size === covering.size &&
      known.transaction === covering.transaction &&
      known.block === covering.block;
    if (isKnown) return { state: 'anchored', anchor: known };
    const row: ProofAnchor = {
      size: covering.size,
      root: withoutHexPrefix(covering.root),
      transaction: covering.transaction,
      block: covering.block,
      chain_id: chainId,
      contract: contracts.anchor ?? '',
      account: operator,
      seen_at: new Date(clock.now()).toISOString(),
    };
    await log.evidence.storeAnchor(row);
    return { state: 'anchored', anchor: row };
  }

  /**
   * A chain that was reset holds fewer anchors than before; a larger one belongs to another log.
   */
  async #compare(latest: { readonly size: number; readonly root: string } | undefined) {
    const { log, notice } = this.#parts;
    const dropped = await log.evidence.dropAnchors(latest?.size ?? 0);
    if (dropped > 0) notice(`anchor: the chain lost ${dropped} anchors; it may have been reset`);
    if (latest !== undefined && !this.#isOurs(latest)) this.#pending(CONTRADICTION);
  }

  #isOurs({ size, root }: { readonly size: number; readonly root: string }): boolean {
    const { log } = this.#parts;
    return size <= log.size && toHex(log.root(size)) === withoutHexPrefix(root);
  }

  /** Logs each new reason once. Waiting for a confirmation is not logged. */
  #pending(reason: string): AnchorState {
    if (reason !== this.#reason && reason !== UNCONFIRMED) this.#parts.notice(`anchor: ${reason}`);
    this.#reason = reason;
    return { state: 'pending', reason };
  }
}

const NOT_YET = 'The log is anchored at intervals; this record is not anchored yet.';
const UNCONFIRMED = 'The chain has not confirmed the anchor yet.';
const CONTRADICTION =
  'The chain has a root that this log lacks: this is an old copy, or two logs share the contract.';

function parseSignedCheckpoint(written: string): Checkpoint {
  const checkpoint = parseCheckpoint(parseNote(written)?.text ?? '');
  return checkpoint ?? { origin: '', size: 0, root: new Uint8Array() };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function withoutHexPrefix(root: string): string {
  return root.replace(/^0x/, '');
}
