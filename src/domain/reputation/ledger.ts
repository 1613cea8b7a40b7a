import { invariant } from '../common/error.ts';
import { dataOf, type EventData } from '../event/catalog.ts';
import type { PublicEvent } from '../event/event-log.ts';
import { componentsOf } from './components.ts';
import { recordOf, type SortedPairs } from './record.ts';
import { countedValue, FORMULA, weightOf } from './score.ts';
import { newPair, newStanding, type Pair, type Standing } from './standing.ts';
import type { Reputation } from './view.ts';

/**
 * Computes track records from the public feed. It receives every event once, in order, and stores
 * only sums. Memory grows with the number of wallet pairs, not with the number of jobs.
 *
 * @example
 * const ledger = new ReputationLedger();
 * for (const event of events) ledger.take(event);
 * ledger.of('0x…').score;
 */
export class ReputationLedger {
  readonly #numbers = new Map<string, number>();
  readonly #standings: Standing[] = [];
  #components: Int32Array | undefined;
  #events = 0;

  /** Number of processed events. */
  get events(): number {
    return this.#events;
  }

  /** Processes the next event of the feed. Event types that do not concern jobs have no effect. */
  take(event: PublicEvent): void {
    this.#events = event.seq + 1;
    switch (event.type) {
      case 'job.released':
        this.#released(event);
        break;
      case 'job.refunded':
        this.#refunded(event);
        break;
      case 'job.disputed':
        this.#disputed(event);
        break;
      case 'job.decided':
        this.#decided(event);
        break;
      case 'job.expired_unreleased':
        this.#expired(event);
        break;
      case 'job.lapsed':
        this.#lapsed(event);
        break;
    }
  }

  /** Returns the track record of a wallet in lower case; zeros for an unknown wallet. */
  of(wallet: string): Reputation {
    const number = this.#numbers.get(wallet);
    const standing = number === undefined ? undefined : this.#standings[number];
    const sorted =
      number === undefined || standing === undefined ? NO_PAIRS : this.#sorted(number, standing);
    return recordOf({ wallet, standing: standing ?? newStanding(), sorted, events: this.#events });
  }

  /** Classifies the pairs of a provider by whether they count. */
  #sorted(provider: number, { earned }: Standing): SortedPairs {
    const counted: Pair[] = [];
    const circular: Pair[] = [];
    const own: Pair[] = [];
    for (const pair of earned.values()) {
      if (pair.buyer === provider) own.push(pair);
      else if (this.#areCircular(pair.buyer, provider)) circular.push(pair);
      else counted.push(pair);
    }
    return { counted, circular, own };
  }

  #areCircular(a: number, b: number): boolean {
    this.#components ??= componentsOf(this.#standings.map(({ paid }) => paid));
    const component = this.#components[a];
    // A wallet added since the last computation is in no circle; otherwise the components would
    // have been invalidated.
    return component !== undefined && component === this.#components[b];
  }

  #released(event: PublicEvent): void {
    const job = dataOf(event, 'job.released');
    if (job === undefined) return;
    const buyer = this.#numberOf(job.buyer);
    const provider = this.#numberOf(job.provider);
    const [paid, fee] = [BigInt(job.price), BigInt(job.fee)];
    const { bought } = this.#standing(buyer);
    bought.jobs += 1;
    bought.paid += paid;
    if (job.is_late && bought.leftUnpaid > 0) bought.leftUnpaid -= 1;
    if (job.deliverable_sha256 === null) {
      const { undelivered } = this.#standing(provider);
      undelivered.jobs += 1;
      undelivered.paid += paid;
      return;
    }
    const value = countedValue(paid, fee);
    const weight = weightOf(value);
    const at = Date.parse(event.at);
    const pair = this.#pair(buyer, provider, at);
    pair.jobs += 1;
    pair.paid += paid;
    pair.fees += fee;
    pair.value += value;
    pair.weight += weight;
    if (job.funding === 'escrow') pair.escrowedWeight += weight;
    pair.firstAt = Math.min(pair.firstAt, at);
    pair.lastAt = Math.max(pair.lastAt, at);
  }

  #refunded(event: PublicEvent): void {
    const job = dataOf(event, 'job.refunded');
    if (job === undefined) return;
    this.#standing(this.#numberOf(job.provider)).refunds += 1;
    if (job.reason === 'unfulfilled') this.#undelivered(job);
  }

  #lapsed(event: PublicEvent): void {
    const job = dataOf(event, 'job.lapsed');
    if (job !== undefined) this.#undelivered(job);
  }

  /** Counts undelivered work for which the provider had bid, whoever held the money. */
  #undelivered({ bid_id, provider, price }: EventData<'job.refunded' | 'job.lapsed'>): void {
    if (bid_id === null) return;
    const standing = this.#standing(this.#numberOf(provider));
    standing.unfulfilled += 1;
    standing.badWeight += weightOf(BigInt(price));
  }

  #disputed(event: PublicEvent): void {
    const job = dataOf(event, 'job.disputed');
    if (job === undefined) return;
    this.#standing(this.#numberOf(job.provider)).disputes += 1;
    this.#standing(this.#numberOf(job.buyer)).bought.disputes += 1;
  }

  #decided(event: PublicEvent): void {
    const job = dataOf(event, 'job.decided');
    if (job === undefined) return;
    const provider = this.#standing(this.#numberOf(job.provider));
    if (job.upheld === 'provider') {
      this.#standing(this.#numberOf(job.buyer)).bought.lostDisputes += 1;
      return;
    }
    provider.lostDisputes += 1;
    provider.badWeight += FORMULA.lostDisputeWeight * weightOf(BigInt(job.price));
  }

  #expired(event: PublicEvent): void {
    const job = dataOf(event, 'job.expired_unreleased');
    if (job !== undefined) this.#standing(this.#numberOf(job.buyer)).bought.leftUnpaid += 1;
  }

  #pair(buyer: number, provider: number, at: number): Pair {
    const { earned } = this.#standing(provider);
    const known = earned.get(buyer);
    if (known !== undefined) return known;
    const pair = newPair(buyer, at);
    earned.set(buyer, pair);
    this.#link(buyer, provider);
    return pair;
  }

  /** A payment can close a circle only if its provider has paid and its buyer has earned. */
  #link(buyer: number, provider: number): void {
    const { paid, earned } = this.#standing(buyer);
    paid.push(provider);
    if (buyer === provider) return;
    const mayClose = this.#standing(provider).paid.length > 0 && earned.size > 0;
    if (mayClose) this.#components = undefined;
  }

  #numberOf(wallet: string): number {
    const known = this.#numbers.get(wallet);
    if (known !== undefined) return known;
    const number = this.#standings.length;
    this.#numbers.set(wallet, number);
    this.#standings.push(newStanding());
    return number;
  }

  #standing(number: number): Standing {
    const standing = this.#standings[number];
    invariant(standing !== undefined, 'every number belongs to a wallet');
    return standing;
  }
}

const NO_PAIRS: SortedPairs = { counted: [], circular: [], own: [] };
