import { z } from 'zod';
import { readJsonWithin } from '../domain/common/bounded-bytes.ts';
import { AppError } from '../domain/common/error.ts';
import { PublicEventShape, parseEventData } from '../domain/event/catalog.ts';
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
const RESPONSE_TIMEOUT_MS = 30_000;

/** Reads the whole feed and returns its claims about money. @throws {AppError} `EGRESS_FAILED` */
export async function readClaims(eventsUrl: string): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  let from = 0;
  for (;;) {
    const page = await readPage(eventsUrl, from);
    claims.push(...page.events.flatMap((event) => toClaims(event as PublicEvent)));
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
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    const answer = await fetch(url, { headers: { accept: 'application/json' }, signal });
    return Page.parse(await readJsonWithin(answer.body, { bytesMax: PAGE_BYTES_MAX, signal }));
  } catch (cause) {
    const message = `The event feed at ${url.origin} cannot be read.`;
    throw new AppError('EGRESS_FAILED', { message, cause });
  }
}

function toClaims(event: PublicEvent): readonly Claim[] {
  const { ref, seq } = event;
  const settled = parseEventData(event, 'settlement.settled');
  if (settled !== undefined) {
    const { price, fee, transaction } = settled;
    return [
      createClaim({ type: 'settlement.settled', ref, seq, transaction, amount: price, fee, price }),
    ];
  }
  const refunded = parseEventData(event, 'settlement.refunded');
  if (refunded !== undefined) {
    const { amount, transaction } = refunded;
    return [createClaim({ type: 'settlement.refunded', ref, seq, transaction, amount })];
  }
  const escrowed = parseEventData(event, 'job.escrowed');
  if (escrowed !== undefined) {
    const { price, transaction } = escrowed;
    return [
      createClaim({ type: 'job.escrowed', ref, seq, transaction, amount: price, price }, 'escrow'),
    ];
  }
  const released = parseEventData(event, 'job.released');
  if (released !== undefined) {
    const { net, fee, price, transaction, funding } = released;
    return [
      createClaim(
        { type: 'job.released', ref, seq, transaction, amount: net, fee, price },
        funding,
      ),
    ];
  }
  const returned = parseEventData(event, 'job.refunded');
  if (returned === undefined) return [];
  const { amount, transaction, funding } = returned;
  return [createClaim({ type: 'job.refunded', ref, seq, transaction, amount }, funding)];
}

function createClaim(
  fields: Pick<Claim, 'type' | 'ref' | 'seq' | 'transaction'> & {
    readonly amount: string;
    readonly fee?: string;
    readonly price?: string;
  },
  funding = 'on_release',
): Claim {
  const { type, ref, seq, transaction, amount, fee = '0', price = amount } = fields;
  return {
    type,
    ref,
    seq,
    transaction,
    isEscrow: funding === 'escrow',
    amount: BigInt(amount),
    fee: BigInt(fee),
    price: BigInt(price),
  };
}
