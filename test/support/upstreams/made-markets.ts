import type { MadeAnswer } from './upstream-server.ts';

/** A candle of the made market; figures are numbers. */
export interface MadeCandle {
  /** Milliseconds. */
  readonly at: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** What a made market looks like. */
export interface MadeMarket {
  /** Middle of the book. */
  readonly middle?: number;
  /** Distance of the best prices from the middle. */
  readonly half?: number;
  /** Base at each of ten levels, one unit of the quote apart. */
  readonly size?: number;
  /** Candles that are not there, by their begin. */
  readonly missing?: (at: number) => boolean;
  readonly candle?: (at: number, length: number) => MadeCandle;
}

/** Pairs that there are, as each exchange names them. */
export const KNOWN = /^(t?BTC[-_/]?(USD|USDT|UST|EUR)|XBT(USD|USDT|EUR))$/i;

/**
 * Answers for the books and candles of every exchange, in its own wire shape. Origin: synthetic,
 * after the public documents of each; the prices are a slow wave.
 */
export function madeMarkets(markets: Readonly<Record<string, MadeMarket>> = {}): MadeAnswer {
  return (upstream, path, now) => {
    const venue = upstream === 'coinbasebooks' ? 'coinbase' : upstream;
    const url = new URL(path, 'http://made');
    const asked = { url, market: markets[venue] ?? {}, now };
    return WIRES[upstream]?.(asked);
  };
}

/** The candle of a time: a slow wave around 100. */
export function waveCandle(at: number, length: number): MadeCandle {
  const price = (time: number) => round(100 + 5 * Math.sin(time / (length * 7)));
  const [open, close] = [price(at), price(at + length)];
  const swing = 0.25 + 0.2 * Math.cos(at / (length * 3));
  return {
    at,
    open,
    close,
    volume: round(10 + 3 * Math.sin(at / length)),
    high: round(Math.max(open, close) + swing),
    low: round(Math.min(open, close) - swing),
  };
}

export interface Asked {
  readonly url: URL;
  readonly market: MadeMarket;
  readonly now: number;
}

export type Wire = (
  asked: Asked,
) => { readonly status: number; readonly body: unknown } | undefined;

const WIRES: Readonly<Record<string, Wire>> = {
  kraken: (asked) => {
    const query = asked.url.searchParams;
    if (!KNOWN.test(query.get('pair') ?? '')) return ok({ error: ['EQuery:Unknown asset pair'] });
    if (asked.url.pathname === '/0/public/Depth') {
      const { bids, asks } = sidesOf(asked);
      const rows = (side: readonly Level[]) =>
        side.map(([price, size]) => [text(price), text(size), Math.floor(asked.now / 1_000)]);
      return ok({ error: [], result: { XXBTZUSD: { bids: rows(bids), asks: rows(asks) } } });
    }
    if (asked.url.pathname !== '/0/public/OHLC') return undefined;
    const length = Number(query.get('interval')) * 60_000;
    const all = candlesIn(asked, { from: 0, to: asked.now, length, last: 720 });
    const since = Number(query.get('since')) * 1_000;
    const rows = all
      .filter(({ at }) => at > since)
      .map(({ at, open, high, low, close, volume }) => [
        ...[at / 1_000, text(open), text(high), text(low), text(close), text(close)],
        ...[text(volume), 7],
      ]);
    return ok({ error: [], result: { XXBTZUSD: rows, last: 1 } });
  },
  coinbase: (asked) => {
    const [, , product = '', kind] = asked.url.pathname.split('/');
    if (kind !== 'candles') return undefined;
    if (!KNOWN.test(product)) return { status: 404, body: { message: 'NotFound' } };
    const query = asked.url.searchParams;
    const length = Number(query.get('granularity')) * 1_000;
    const from = Date.parse(query.get('start') ?? '');
    const to = Date.parse(query.get('end') ?? '') + length;
    if ((to - from) / length > 300) return { status: 400, body: { message: 'too many' } };
    const rows = candlesIn(asked, { from, to, length })
      .map(({ at, open, high, low, close, volume }) => [
        ...[at / 1_000, low, high, open, close, volume],
      ])
      .reverse();
    return ok(rows);
  },
  coinbasebooks: (asked) => {
    const product = asked.url.searchParams.get('product_id') ?? '';
    if (!KNOWN.test(product)) return { status: 404, body: { error: 'NOT_FOUND' } };
    const { bids, asks } = sidesOf(asked);
    const rows = (side: readonly Level[]) =>
      side.map(([price, size]) => ({ price: text(price), size: text(size) }));
    const time = new Date(asked.now).toISOString();
    return ok({ pricebook: { product_id: product, bids: rows(bids), asks: rows(asks), time } });
  },
  bitstamp: (asked) => {
    const [, , , kind = '', pair = ''] = asked.url.pathname.split('/');
    if (kind !== 'order_book' && kind !== 'ohlc') return undefined;
    if (!KNOWN.test(pair)) return { status: 404, body: { status: 'error', reason: 'Not found.' } };
    const seconds = (at: number) => String(Math.floor(at / 1_000));
    if (kind === 'order_book') {
      const { bids, asks } = textSides(asked);
      return ok({ timestamp: seconds(asked.now), bids, asks });
    }
    const query = asked.url.searchParams;
    const length = Number(query.get('step')) * 1_000;
    const [from, to] = [Number(query.get('start')) * 1_000, Number(query.get('end')) * 1_000];
    const rows = candlesIn(asked, { from, to: to + length, length });
    const ohlc = rows.map(({ at, open, high, low, close, volume }) => ({
      timestamp: seconds(at),
      open: text(open),
      high: text(high),
      low: text(low),
      close: text(close),
      volume: text(volume),
    }));
    return ok({ data: { pair: 'BTC/USD', ohlc } });
  },
  binance: (asked) => {
    const query = asked.url.searchParams;
    const isMarket = /\/(depth|klines)$/.test(asked.url.pathname);
    if (!isMarket) return undefined;
    if (!KNOWN.test(query.get('symbol') ?? '')) {
      return { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };
    }
    if (asked.url.pathname.endsWith('/depth')) {
      return ok({ lastUpdateId: 7, ...textSides(asked) });
    }
    const length = LENGTHS[query.get('interval') ?? ''] ?? 1;
    const [from, to] = [Number(query.get('startTime')), Number(query.get('endTime')) + 1];
    const rows = candlesIn(asked, { from, to, length }).slice(0, 1_000);
    return ok(
      rows.map(({ at, open, high, low, close, volume }) => [
        ...[at, text(open), text(high), text(low), text(close), text(volume)],
        ...[at + length - 1, '0', 9, '0', '0', '0'],
      ]),
    );
  },
};

export type Level = readonly [number, number];

const LENGTHS: Readonly<Record<string, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
};

export function sidesOf({ market: { middle = 100, half = 0.5, size = 1 } }: Asked) {
  const steps = Array.from({ length: 10 }, (_, at) => at);
  return {
    bids: steps.map((at): Level => [round(middle - half - at), size]),
    asks: steps.map((at): Level => [round(middle + half + at), size]),
  };
}

export function textSides(asked: Asked) {
  const { bids, asks } = sidesOf(asked);
  const rows = (side: readonly Level[]) => side.map((level) => level.map(text));
  return { bids: rows(bids), asks: rows(asks) };
}

/** Candles up to now, the unfinished one included. */
export function candlesIn(
  { market, now }: Asked,
  range: { from: number; to: number; length: number; last?: number },
): readonly MadeCandle[] {
  const { length, last = 5_000 } = range;
  const end = Math.min(range.to, now);
  const newest = Math.floor((end - 1) / length) * length;
  const first = Math.max(Math.ceil(range.from / length) * length, newest - (last - 1) * length);
  const rows: MadeCandle[] = [];
  for (let at = first; at <= newest; at += length) {
    if (market.missing?.(at) !== true) rows.push((market.candle ?? waveCandle)(at, length));
  }
  return rows;
}

export function ok(body: unknown) {
  return { status: 200, body };
}

export function text(figure: number): string {
  return figure.toFixed(4);
}

function round(figure: number): number {
  return Math.round(figure * 10_000) / 10_000;
}
