import {
  candlesIn,
  KNOWN,
  type MadeCandle,
  type MadeMarket,
  madeMarkets,
  ok,
  text,
  textSides,
  type Wire,
} from './made-markets.ts';
import type { MadeAnswer } from './upstream-server.ts';

/** Answers for the books and candles of every exchange, those included that `ccxt` reads. */
export function madeExchanges(markets: Readonly<Record<string, MadeMarket>> = {}): MadeAnswer {
  const own = madeMarkets(markets);
  return (upstream, path, now) => {
    const asked = { url: new URL(path, 'http://made'), market: markets[upstream] ?? {}, now };
    return own(upstream, path, now) ?? FURTHER_WIRES[upstream]?.(asked);
  };
}

/**
 * Answers of the exchanges that `ccxt` reads, for books and candles; tickers are fixtures. Origin:
 * synthetic, after the notes in the parsers of ccxt 4.5.84.
 */
const FURTHER_WIRES: Readonly<Record<string, Wire>> = {
  okx: (asked) => {
    const query = asked.url.searchParams;
    const kind = asked.url.pathname.replace('/api/v5/market/', '');
    if (!KNOWN.test(query.get('instId') ?? '')) {
      return ok({ code: '51001', msg: 'Instrument ID does not exist', data: [] });
    }
    const told = (data: unknown) => ok({ code: '0', msg: '', data });
    if (kind === 'books') {
      const { bids, asks } = textSides(asked);
      const rows = (side: string[][]) => side.map((level) => [...level, '0', '2']);
      return told([{ asks: rows(asks), bids: rows(bids), ts: String(asked.now) }]);
    }
    if (kind !== 'candles' && kind !== 'history-candles') return undefined;
    const length = LENGTHS[query.get('bar') ?? ''] ?? 1;
    const range = { from: numberIn(query, 'before') + 1, to: numberIn(query, 'after'), length };
    return told(
      newest(candlesIn(asked, range), numberIn(query, 'limit')).map((row) => [
        ...[String(row.at), text(row.open), text(row.high), text(row.low), text(row.close)],
        ...[text(row.volume), '0', '0', '1'],
      ]),
    );
  },
  bybit: (asked) => {
    const query = asked.url.searchParams;
    const told = (result: unknown) =>
      ok({ retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: asked.now });
    if (!KNOWN.test(query.get('symbol') ?? '')) {
      return ok({ retCode: 10_001, retMsg: 'Not supported symbols', result: {}, time: asked.now });
    }
    if (asked.url.pathname === '/v5/market/orderbook') {
      const { bids: b, asks: a } = textSides(asked);
      return told({ s: query.get('symbol'), a, b, ts: asked.now, u: 5_277_055 });
    }
    if (asked.url.pathname !== '/v5/market/kline') return undefined;
    const length = LENGTHS[query.get('interval') ?? ''] ?? 1;
    const range = { from: numberIn(query, 'start'), to: numberIn(query, 'end') + 1, length };
    const list = newest(candlesIn(asked, range), numberIn(query, 'limit')).map((row) => [
      ...[String(row.at), text(row.open), text(row.high), text(row.low), text(row.close)],
      ...[text(row.volume), '0'],
    ]);
    return told({ symbol: query.get('symbol'), category: 'spot', list });
  },
  kucoin: (asked) => {
    const query = asked.url.searchParams;
    if (!KNOWN.test(query.get('symbol') ?? '')) {
      return ok({ code: '400100', msg: 'This pair is not provided at present: symbol not exists' });
    }
    const told = (data: unknown) => ok({ code: '200000', data });
    if (asked.url.pathname === '/api/v1/market/orderbook/level2_100') {
      return told({ time: asked.now, sequence: '3262786978', ...textSides(asked) });
    }
    if (asked.url.pathname !== '/api/v1/market/candles') return undefined;
    const length = LENGTHS[query.get('type') ?? ''] ?? 1;
    // Both ends count here.
    const range = {
      from: numberIn(query, 'startAt') * 1_000,
      to: numberIn(query, 'endAt') * 1_000 + 1,
      length,
    };
    const rows = newest(candlesIn(asked, range), 1_500);
    return told(
      rows.map((row) => [
        ...[seconds(row), text(row.open), text(row.close), text(row.high), text(row.low)],
        ...[text(row.volume), '0'],
      ]),
    );
  },
  gate: (asked) => {
    const query = asked.url.searchParams;
    if (!KNOWN.test(query.get('currency_pair') ?? '')) {
      const body = { label: 'INVALID_CURRENCY_PAIR', message: 'Invalid currency pair' };
      return { status: 400, body };
    }
    if (asked.url.pathname === '/api/v4/spot/order_book') {
      return ok({ id: 6_358_770_031, current: asked.now, update: asked.now, ...textSides(asked) });
    }
    if (asked.url.pathname !== '/api/v4/spot/candlesticks') return undefined;
    const length = LENGTHS[query.get('interval') ?? ''] ?? 1;
    const range = {
      from: numberIn(query, 'from') * 1_000,
      to: numberIn(query, 'to') * 1_000 + 1,
      length,
    };
    return ok(
      candlesIn(asked, range).map((row) => [
        ...[seconds(row), '0', text(row.close), text(row.high), text(row.low), text(row.open)],
        ...[text(row.volume), 'true'],
      ]),
    );
  },
  mexc: (asked) => {
    const query = asked.url.searchParams;
    if (!KNOWN.test(query.get('symbol') ?? '')) {
      return { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };
    }
    if (asked.url.pathname === '/api/v3/depth') {
      return ok({ lastUpdateId: '744267132', ...textSides(asked) });
    }
    if (asked.url.pathname !== '/api/v3/klines') return undefined;
    const length = LENGTHS[query.get('interval') ?? ''] ?? 1;
    const range = { from: numberIn(query, 'startTime'), to: numberIn(query, 'endTime'), length };
    const rows = candlesIn(asked, range).slice(0, numberIn(query, 'limit'));
    return ok(
      rows.map((row) => [
        ...[row.at, text(row.open), text(row.high), text(row.low), text(row.close)],
        ...[text(row.volume), row.at + length, '0'],
      ]),
    );
  },
  cryptocom: (asked) => {
    const query = asked.url.searchParams;
    const method = asked.url.pathname.replace('/exchange/v1/', '');
    if (!KNOWN.test(query.get('instrument_name') ?? '')) {
      return { status: 400, body: { id: -1, method, code: 40_004, message: 'Invalid instrument' } };
    }
    const told = (data: unknown) => ok({ id: -1, method, code: 0, result: { data } });
    if (method === 'public/get-book') {
      const { bids, asks } = textSides(asked);
      const rows = (side: string[][]) => side.map((level) => [...level, '1']);
      return told([{ bids: rows(bids), asks: rows(asks), t: asked.now }]);
    }
    if (method !== 'public/get-candlestick') return undefined;
    const length = LENGTHS[query.get('timeframe') ?? ''] ?? 1;
    const from = numberIn(query, 'start_ts') + 1;
    const all = candlesIn(asked, { from, to: numberIn(query, 'end_ts'), length });
    const rows = all.slice(-Number(query.get('count') ?? '25'));
    return told(
      rows.map((row) => ({
        o: text(row.open),
        h: text(row.high),
        l: text(row.low),
        c: text(row.close),
        v: text(row.volume),
        t: row.at,
      })),
    );
  },
  gemini: (asked) => {
    const [, version = '', kind = '', symbol = '', frame = ''] = asked.url.pathname.split('/');
    if (!KNOWN.test(symbol)) {
      const message = `Supplied value '${symbol}' is not a valid value for uriParam 'symbol'`;
      return { status: 400, body: { result: 'error', reason: 'Bad Request', message } };
    }
    if (version === 'v1' && kind === 'book') {
      const { bids, asks } = textSides(asked);
      const rows = (side: string[][]) => side.map(([price, amount]) => ({ price, amount }));
      return ok({ bids: rows(bids), asks: rows(asks) });
    }
    if (kind !== 'candles') return undefined;
    const length = LENGTHS[frame] ?? 1;
    const rows = candlesIn(asked, { from: 0, to: asked.now, length, last: 1_440 });
    return ok(
      newest(rows, rows.length).map(({ at, open, high, low, close, volume }) => [
        ...[at, open, high, low, close, volume],
      ]),
    );
  },
};

const MINUTE = 60_000;
const LENGTHS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['1m', '1', '1min'].map((name) => [name, MINUTE])),
  ...Object.fromEntries(['5m', '5', '5min'].map((name) => [name, 5 * MINUTE])),
  ...Object.fromEntries(['15m', '15', '15min'].map((name) => [name, 15 * MINUTE])),
  ...Object.fromEntries(
    ['1h', '1H', '60', '60m', '1hour', '1hr'].map((name) => [name, 60 * MINUTE]),
  ),
  ...Object.fromEntries(['1d', '1D', '1Dutc', 'D', '1day'].map((name) => [name, 1_440 * MINUTE])),
};

/** Newest first, so many of them. */
function newest(rows: readonly MadeCandle[], count: number): readonly MadeCandle[] {
  return rows.slice(-count).reverse();
}

function numberIn(query: URLSearchParams, name: string): number {
  return Number(query.get(name));
}

function seconds({ at }: MadeCandle): string {
  return String(at / 1_000);
}
