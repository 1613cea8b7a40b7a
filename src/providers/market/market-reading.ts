import { type DataFault, faultOf } from '../../domain/data/fault.ts';
import type { SourceFacts } from '../../domain/data/source.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import {
  type Candle,
  type CandleInterval,
  type Stretch,
  soundCandles,
} from '../../domain/market/candles.ts';
import type { CandleReading } from '../../domain/market/markets.ts';

/** Most pages of candles for one reading. */
export const CANDLE_PAGES_MAX = 20;

/** Returns the time of a value: the venue's own, or else the time at which its answer arrived. */
export function timeOf(asOf: number | null, source: SourceFacts) {
  const { revalidated_at: again, retrieved_at: first } = source;
  return asOf === null
    ? ({ asOf: Date.parse(again ?? first), asOfKind: 'received' } as const)
    : ({ asOf, asOfKind: 'upstream_event' } as const);
}

/** Splits a pair into base and quote. */
export function namesOf(pair: string) {
  const [base = '', quote = ''] = pair.split('/');
  return { base, quote };
}

/** Creates the failure for an unknown venue. */
function noVenue(upstream: string): { readonly ok: false; readonly fault: DataFault } {
  return {
    ok: false,
    fault: faultOf('invalid_input', { upstream, detail: 'Unknown venue.' }),
  };
}

/** Creates a function that reads at the venue that an order names. */
export function readerAt<Venue extends { readonly id: string }>(venues: readonly Venue[]) {
  return <Order extends { readonly venue: string }, Answer>(
    read: (venue: Venue, order: Order) => Promise<Answer>,
  ) => {
    return async (order: Order) => {
      const venue = venues.find(({ id }) => id === order.venue);
      return venue === undefined ? noVenue(order.venue) : read(venue, order);
    };
  };
}

/** Pages of whole candles, and how to read one. */
export interface PagedCandles<Page> {
  readonly venue: string;
  readonly interval: CandleInterval;
  readonly stretch: Stretch;
  readonly pages: readonly Page[];
  read(page: Page): Promise<Reading<readonly Candle[]>>;
}

/** Reads all pages in order and joins them if their candles are sound. */
export async function readPages<Page>(paged: PagedCandles<Page>): Promise<CandleReading> {
  const { venue: upstream, interval, stretch, pages, read } = paged;
  if (pages.length > CANDLE_PAGES_MAX) {
    const detail = `The range needs more than ${CANDLE_PAGES_MAX} pages of candles.`;
    return { ok: false, fault: faultOf('invalid_input', { upstream, detail }) };
  }
  const rows: Candle[] = [];
  const sources: SourceFacts[] = [];
  for (const page of pages) {
    const reading = await read(page);
    if (!reading.ok) return reading;
    rows.push(...reading.value);
    sources.push(reading.source);
  }
  const now = Math.min(...sources.map(({ retrieved_at: at }) => Date.parse(at)));
  const candles = soundCandles(rows, { ...stretch, interval, now });
  if (candles !== undefined) return { ok: true, candles, sources };
  const detail = 'Candles have impossible prices or times.';
  return { ok: false, fault: faultOf('upstream_bad_payload', { upstream, detail }) };
}
