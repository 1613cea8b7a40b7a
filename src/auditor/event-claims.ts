import { z } from 'zod';
import { readJsonWithin } from '../domain/common/bounded-bytes.ts';
import { AppError } from '../domain/common/error.ts';
import { dataOf, PublicEventShape } from '../domain/event/catalog.ts';
import type { PublicEvent } from '../domain/event/event-log.ts';

/** A claim of the public feed about money. */
export interface Claim {
  readonly type:
    | 'settlement.settled'
    | 'settlement.refunded'
    | 'job.escrowed'
    | 'job.released'
    | 'job.refunded';
  readonly ref: string;
  readonly seq: number;
  readonly transaction: string;
  readonly isEscrow: boolean;
  /** Total amount moved in micro-dollars; for a release, the provider's share. */
  readonly amount: bigint;
  /** The stated fee. */
  readonly fee: bigint;
  readonly price: bigint;
}

const Page = z.object({ events: z.array(PublicEventShape), next: z.int(), size: z.int() });
const PAGE_EVENTS = 1_000;
/** Maximum size of a feed page, in bytes. */
export const PAGE_BYTES_MAX = 16 * 1024 * 1024;
const ANSWER_MS = 30_000;

/** Reads the whole feed and returns its claims about money. @throws {AppError} `EGRESS_FAILED` */
export async function readClaims(eventsUrl: string): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  let from = 0;
  for (;;) {
    const page = await readPage(eventsUrl, from);
    claims.push(...page.events.flatMap((event) => claimOf(event as PublicEvent)));
    if (page.next <= from || page.next >= page.size) return claims;
    from = page.next;
  }
}

async function readPage(eventsUrl: string, from: number) {
  const url = new URL(eventsUrl);
  if (url.pathname === '/') url.pathname = '/v1/events';
  url.searchParams.set('from', String(from));
  url.searchParams.set('limit', String(PAGE_EVENTS));
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(url, { headers: { accept: 'application/json' }, signal });
    return Page.parse(await readJsonWithin(answer.body, { bytesMax: PAGE_BYTES_MAX, signal }));
  } catch (cause) {
    const message = `The event feed at ${url.origin} cannot be read.`;
    throw new AppError('EGRESS_FAILED', { message, cause });
  }
}

function claimOf(event: PublicEvent): readonly Claim[] {
  const { ref, seq } = event;
  const settled = dataOf(event, 'settlement.settled');
  if (settled !== undefined) {
    const { price, fee, transaction } = settled;
    return [
      claim({ type: 'settlement.settled', ref, seq, transaction, amount: price, fee, price }),
    ];
  }
  const refunded = dataOf(event, 'settlement.refunded');
  if (refunded !== undefined) {
    const { amount, transaction } = refunded;
    return [claim({ type: 'settlement.refunded', ref, seq, transaction, amount })];
  }
  const escrowed = dataOf(event, 'job.escrowed');
  if (escrowed !== undefined) {
    const { price, transaction } = escrowed;
    return [claim({ type: 'job.escrowed', ref, seq, transaction, amount: price, price }, 'escrow')];
  }
  const released = dataOf(event, 'job.released');
  if (released !== undefined) {
    const { net, fee, price, transaction, funding } = released;
    return [
      claim({ type: 'job.released', ref, seq, transaction, amount: net, fee, price }, funding),
    ];
  }
  const returned = dataOf(event, 'job.refunded');
  if (returned === undefined) return [];
  const { amount, transaction, funding } = returned;
  return [claim({ type: 'job.refunded', ref, seq, transaction, amount }, funding)];
}

function claim(
  told: Pick<Claim, 'type' | 'ref' | 'seq' | 'transaction'> & {
    readonly amount: string;
    readonly fee?: string;
    readonly price?: string;
  },
  funding = 'on_release',
): Claim {
  const { type, ref, seq, transaction, amount, fee = '0', price = amount } = told;
  return {
    ...{ type, ref, seq, transaction, isEscrow: funding === 'escrow' },
    ...{ amount: BigInt(amount), fee: BigInt(fee), price: BigInt(price) },
  };
}
