import { invariant } from '../common/error.ts';
import { type EventData, parseEventData } from '../event/catalog.ts';
import type { PublicEvent } from '../event/event-log.ts';
import { findComponents } from './components.ts';
import { buildReputation, type ClassifiedPairs } from './record.ts';
import { computeCountedValue, computeWeight, FORMULA } from './score.ts';
import type { Reputation } from './view.ts';
import {
  createPairTotals,
  createWalletTotals,
  type PairTotals,
  type WalletTotals,
} from './wallet-totals.ts';

/**
 * Computes track records from the public feed. It receives every event once, in order, and stores
 * only sums. Memory grows with the number of wallet pairs, not with the number of jobs.
 *
 * @example
 * const ledger = new ReputationLedger();
 * for (const event of events) ledger.process(event);
 * ledger.reputationFor('0x…').score;
 */
export class ReputationLedger {
  readonly #numbers = new Map<string, number>();
  readonly #walletTotals: WalletTotals[] = [];
  #components: Int32Array | undefined;
  #eventCount = 0;

  /** Number of processed events. */
  get events(): number {
    return this.#eventCount;
  }

  /** Processes the next event of the feed. Event types that do not concern jobs have no effect. */
  process(event: PublicEvent): void {
    this.#eventCount = event.seq + 1;
    switch (event.type) {
      case 'job.released':
        this.#onReleased(event);
        break;
      case 'job.refunded':
        this.#onRefunded(event);
        break;
      case 'job.disputed':
        this.#onDisputed(event);
        break;
      case 'job.decided':
        this.#onDecided(event);
        break;
      case 'job.expired_unreleased':
        this.#onExpired(event);
        break;
      case 'job.lapsed':
        this.#onLapsed(event);
        break;
    }
  }

  /** Returns the track record of a wallet in lower case; zeros for an unknown wallet. */
  reputationFor(wallet: string): Reputation {
    const number = this.#numbers.get(wallet);
    const totals = number === undefined ? undefined : this.#walletTotals[number];
    const sorted =
      number === undefined || totals === undefined ? NO_PAIRS : this.#classifyPairs(number, totals);
    return buildReputation({
      wallet,
      standing: totals ?? createWalletTotals(),
      sorted,
      events: this.#eventCount,
    });
  }

  /** Classifies the pairs of a provider by whether they count. */
  #classifyPairs(provider: number, { earned }: WalletTotals): ClassifiedPairs {
    const counted: PairTotals[] = [];
    const circular: PairTotals[] = [];
    const selfDealing: PairTotals[] = [];
    for (const pair of earned.values()) {
      if (pair.buyer === provider) selfDealing.push(pair);
      else if (this.#areCircular(pair.buyer, provider)) circular.push(pair);
      else counted.push(pair);
    }
    return { counted, circular, own: selfDealing };
  }

  #areCircular(a: number, b: number): boolean {
    this.#components ??= findComponents(this.#walletTotals.map(({ paid }) => paid));
    const component = this.#components[a];
    // A wallet added since the last computation is in no circle; otherwise the components would
    // have been invalidated.
    return component !== undefined && component === this.#components[b];
  }

  #onReleased(event: PublicEvent): void {
    const job = parseEventData(event, 'job.released');
    if (job === undefined) return;
    const buyer = this.#numberOf(job.buyer);
    const provider = this.#numberOf(job.provider);
    const [paid, fee] = [BigInt(job.price), BigInt(job.fee)];
    const { bought } = this.#totalsAt(buyer);
    bought.jobs += 1;
    bought.paid += paid;
    if (job.is_late && bought.leftUnpaid > 0) bought.leftUnpaid -= 1;
    if (job.deliverable_sha256 === null) {
      const { undelivered } = this.#totalsAt(provider);
      undelivered.jobs += 1;
      undelivered.paid += paid;
      return;
    }
    const value = computeCountedValue(paid, fee);
    const weight = computeWeight(value);
    const at = Date.parse(event.at);
    const pair = this.#findOrCreatePair(buyer, provider, at);
    pair.jobs += 1;
    pair.paid += paid;
    pair.fees += fee;
    pair.value += value;
    pair.weight += weight;
    if (job.funding === 'escrow') pair.escrowedWeight += weight;
    pair.firstAt = Math.min(pair.firstAt, at);
    pair.lastAt = Math.max(pair.lastAt, at);
  }

  #onRefunded(event: PublicEvent): void {
    const job = parseEventData(event, 'job.refunded');
    if (job === undefined) return;
    this.#totalsAt(this.#numberOf(job.provider)).refunds += 1;
    if (job.reason === 'unfulfilled') this.#addUndelivered(job);
  }

  #onLapsed(event: PublicEvent): void {
    const job = parseEventData(event, 'job.lapsed');
    if (job !== undefined) this.#addUndelivered(job);
  }

  /** Counts undelivered work for which the provider had bid, whoever held the money. */
  #addUndelivered({ bid_id, provider, price }: EventData<'job.refunded' | 'job.lapsed'>): void {
    if (bid_id === null) return;
    const standing = this.#totalsAt(this.#numberOf(provider));
    standing.unfulfilled += 1;
    standing.badWeight += computeWeight(BigInt(price));
  }

  #onDisputed(event: PublicEvent): void {
    const job = parseEventData(event, 'job.disputed');
    if (job === undefined) return;
    this.#totalsAt(this.#numberOf(job.provider)).disputes += 1;
    this.#totalsAt(this.#numberOf(job.buyer)).bought.disputes += 1;
  }

  #onDecided(event: PublicEvent): void {
    const job = parseEventData(event, 'job.decided');
    if (job === undefined) return;
    const provider = this.#totalsAt(this.#numberOf(job.provider));
    if (job.upheld === 'provider') {
      this.#totalsAt(this.#numberOf(job.buyer)).bought.lostDisputes += 1;
      return;
    }
    provider.lostDisputes += 1;
    provider.badWeight += FORMULA.lostDisputeWeight * computeWeight(BigInt(job.price));
  }

  #onExpired(event: PublicEvent): void {
    const job = parseEventData(event, 'job.expired_unreleased');
    if (job !== undefined) this.#totalsAt(this.#numberOf(job.buyer)).bought.leftUnpaid += 1;
  }

  #findOrCreatePair(buyer: number, provider: number, at: number): PairTotals {
    const { earned } = this.#totalsAt(provider);
    const existing = earned.get(buyer);
    if (existing !== undefined) return existing;
    const pair = createPairTotals(buyer, at);
    earned.set(buyer, pair);
    this.#link(buyer, provider);
    return pair;
  }

  /** A payment can close a circle only if its provider has paid and its buyer has earned. */
  #link(buyer: number, provider: number): void {
    const { paid, earned } = this.#totalsAt(buyer);
    paid.push(provider);
    if (buyer === provider) return;
    const mayClose = this.#totalsAt(provider).paid.length > 0 && earned.size > 0;
    if (mayClose) this.#components = undefined;
  }

  #numberOf(wallet: string): number {
    const known = this.#numbers.get(wallet);
    if (known !== undefined) return known;
    const number = this.#walletTotals.length;
    this.#numbers.set(wallet, number);
    this.#walletTotals.push(createWalletTotals());
    return number;
  }

  #totalsAt(number: number): WalletTotals {
    const standing = this.#walletTotals[number];
    invariant(standing !== undefined, 'every number belongs to a wallet');
    return standing;
  }
}

const NO_PAIRS: ClassifiedPairs = { counted: [], circular: [], own: [] };
