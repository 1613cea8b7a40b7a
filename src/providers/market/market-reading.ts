import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import {
  type Candle,
  type CandleInterval,
  type TimeRange,
  validateCandles,
} from '../../domain/market/candles.ts';
import type { CandleReading } from '../../domain/market/markets.ts';

/** Most pages of candles for one reading. */
export const CANDLE_PAGES_MAX = 20;

/** Returns the time of a value: the venue's own, or else the time at which its answer arrived. */
export function resolveTime(asOf: number | null, source: UnnumberedSource) {
  const { revalidated_at: again, retrieved_at: first } = source;
  return asOf === null
    ? ({ asOf: Date.parse(again ?? first), asOfKind: 'received' } as const)
    : ({ asOf, asOfKind: 'upstream_event' } as const);
}

/** Splits a pair into base and quote. */
export function splitPair(pair: string) {
  const [base = '', quote = ''] = pair.split('/');
  return { base, quote };
}

function unknownVenue(upstream: string): { readonly ok: false; readonly fault: DataFailure } {
  return {
    ok: false,
    fault: createDataFailure('invalid_input', { upstream, detail: 'Unknown venue.' }),
  };
}

/** Creates a function that reads at the venue that an order names. */
export function createVenueReader<Venue extends { readonly id: string }>(venues: readonly Venue[]) {
  return <Order extends { readonly venue: string }, Answer>(
    read: (venue: Venue, order: Order) => Promise<Answer>,
  ) => {
    return async (order: Order) => {
      const venue = venues.find(({ id }) => id === order.venue);
      return venue === undefined ? unknownVenue(order.venue) : read(venue, order);
    };
  };
}

/** Pages of whole candles, and how to read one. */
export interface PagedCandles<Page> {
  readonly venue: string;
  readonly interval: CandleInterval;
  readonly range: TimeRange;
  readonly pages: readonly Page[];
  read(page: Page): Promise<SourceReading<readonly Candle[]>>;
}

/** Reads all pages in order and joins them if their candles are sound. */
export async function readCandlePages<Page>(paged: PagedCandles<Page>): Promise<CandleReading> {
  const { venue: upstream, interval, range, pages, read } = paged;
  if (pages.length > CANDLE_PAGES_MAX) {
    const detail = `The range needs more than ${CANDLE_PAGES_MAX} pages of candles.`;
    return { ok: false, fault: createDataFailure('invalid_input', { upstream, detail }) };
  }
  const rows: Candle[] = [];
  const sources: UnnumberedSource[] = [];
  for (const page of pages) {
    const reading = await read(page);
    if (!reading.ok) return reading;
    rows.push(...reading.value);
    sources.push(reading.source);
  }
  const now = Math.min(...sources.map(({ retrieved_at: at }) => Date.parse(at)));
  const candles = validateCandles(rows, { ...range, interval, now });
  if (candles !== undefined) return { ok: true, candles, sources };
  const detail = 'Candles have impossible prices or times.';
  return { ok: false, fault: createDataFailure('upstream_bad_payload', { upstream, detail }) };
}
