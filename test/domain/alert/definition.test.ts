import { expect, test } from 'vitest';
import {
  AlertCondition,
  type AlertDefinition,
  defineAlert,
} from '../../../src/domain/alert/definition.ts';
import { AppError } from '../../../src/domain/common/error.ts';

const DAY_S = 86_400;
const CANDLES = { pair: 'BTC/USD', venue: 'kraken', candle: '1h' };
const SPREAD = { pair: 'BTC/USD', between: ['kraken', 'coinbase'] };
const NEWS = { news: 'rate cut', domains: ['ecb.europa.eu'] };

const define = (condition: object): AlertDefinition => defineAlert(AlertCondition.parse(condition));

const FINE: readonly (readonly [object, Partial<AlertDefinition>])[] = [
  [
    { subject: CANDLES, op: 'above', threshold: '64000' },
    { windowMs: 0, hysteresis: '64', staleAfterMs: (2 * 3_600 + 180) * 1_000 },
  ],
  [
    { subject: CANDLES, op: 'pct_change', threshold: '-5', window_s: DAY_S },
    { threshold: '-5', windowMs: DAY_S * 1_000, hysteresis: '0.005' },
  ],
  [
    { subject: CANDLES, op: 'volatility_above', threshold: '2', window_s: 20 * 3_600 },
    { windowMs: 20 * 3_600_000 },
  ],
  [
    {
      subject: { ...CANDLES, candle: '1d' },
      op: 'pct_change',
      threshold: '9',
      window_s: 30 * DAY_S,
    },
    { windowMs: 30 * DAY_S * 1_000, staleAfterMs: (2 * DAY_S + 180) * 1_000 },
  ],
  [
    { subject: SPREAD, op: 'above', threshold: '0' },
    {
      threshold: '0',
      subject: {
        kind: 'spread',
        pair: 'BTC/USD',
        sizeQuote: '1000',
        between: [
          { venue: 'coinbase', feeBps: '60' },
          { venue: 'kraken', feeBps: '26' },
        ],
      },
    },
  ],
  [
    { subject: { ...SPREAD, fee_bps: { kraken: '10.50' } }, op: 'above', threshold: '-12.5' },
    { threshold: '-12.5' },
  ],
  [
    { subject: NEWS, op: 'event_match', window_s: 3_600 },
    { threshold: '0', hysteresis: '0', windowMs: 3_600_000, staleAfterMs: 300_000 },
  ],
];

test.each(FINE)('%j is an alert', (condition, wanted) => {
  expect(define(condition)).toMatchObject(wanted);
});

test('the order of exchanges and domains, and zeros behind a point, make no other alert', () => {
  const spread = { op: 'above', threshold: '5', subject: { ...SPREAD, size_quote: '1000.00' } };
  const turned = {
    ...spread,
    threshold: '5.0',
    subject: { ...SPREAD, between: ['coinbase', 'kraken'] },
  };
  expect(define(turned)).toEqual(define(spread));
  const news = { op: 'event_match', window_s: 600 };
  const both = ['b.example', 'a.example'];
  expect(define({ ...news, subject: { news: 'x', domains: both } })).toEqual(
    define({ ...news, subject: { news: ' x ', domains: [...both].reverse() } }),
  );
});

const WRONG: readonly (readonly [string, object])[] = [
  ['op', { subject: CANDLES, op: 'event_match' }],
  ['op', { subject: SPREAD, op: 'pct_change', threshold: '5', window_s: 600 }],
  ['op', { subject: NEWS, op: 'above', threshold: '5', window_s: 600 }],
  ['threshold', { subject: NEWS, op: 'event_match', threshold: '1', window_s: 600 }],
  ['threshold', { subject: CANDLES, op: 'below', threshold: '-1' }],
  ['threshold', { subject: SPREAD, op: 'above' }],
  ['window_s', { subject: NEWS, op: 'event_match' }],
  ['window_s', { subject: NEWS, op: 'event_match', window_s: 599 }],
  ['window_s', { subject: CANDLES, op: 'above', threshold: '5', window_s: 3_600 }],
  ['window_s', { subject: CANDLES, op: 'pct_change', threshold: '5', window_s: 5_400 }],
  ['window_s', { subject: CANDLES, op: 'pct_change', threshold: '5', window_s: 501 * 3_600 }],
  ['window_s', { subject: CANDLES, op: 'volatility_above', threshold: '5', window_s: 19 * 3_600 }],
  ['stale_after_s', { subject: CANDLES, op: 'above', threshold: '5', stale_after_s: 3_600 }],
  ['stale_after_s', { subject: NEWS, op: 'event_match', window_s: 600, stale_after_s: 299 }],
  ['eval_interval_s', { subject: NEWS, op: 'event_match', window_s: 600, eval_interval_s: 30 }],
  [
    'subject.between',
    { subject: { ...SPREAD, between: ['kraken', 'kraken'] }, op: 'above', threshold: '5' },
  ],
  [
    'subject.fee_bps',
    { subject: { ...SPREAD, between: ['kraken', 'elsewhere'] }, op: 'above', threshold: '5' },
  ],
  [
    'subject.fee_bps',
    { subject: { ...SPREAD, fee_bps: { okx: '1' } }, op: 'above', threshold: '5' },
  ],
  [
    'subject.domains',
    { subject: { ...NEWS, domains: ['a.example', 'a.example'] }, op: 'event_match', window_s: 600 },
  ],
  ['subject.news', { subject: { ...NEWS, news: 'of the' }, op: 'event_match', window_s: 600 }],
];

test.each(WRONG)('%s is not compatible with the other fields in %j', (path, condition) => {
  let thrown: unknown;
  try {
    define(condition);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(AppError);
  const { code, data } = thrown as AppError;
  expect([code, data['path']]).toEqual(['INPUT_INVALID', path]);
  expect(data).toHaveProperty('allowed');
});

test.each([
  [{ ...CANDLES, candle: '2h' }],
  [{ ...SPREAD, between: ['kraken'] }],
  [{ ...SPREAD, between: ['a1', 'b1', 'c1', 'd1', 'e1'] }],
  [{ ...SPREAD, size_quote: '0' }],
  [{ ...SPREAD, size_quote: '1e9' }],
  [{ ...SPREAD, fee_bps: { kraken: '1001' } }],
  [{ ...SPREAD, fee_bps: { kraken: 'NaN' } }],
  [{ ...NEWS, domains: [] }],
  [{ ...NEWS, domains: Array.from({ length: 9 }, (_, at) => `d${at}.example`) }],
  [{ ...NEWS, more: 1 }],
])('%j fits no shape', (subject) => {
  const condition = { subject, op: 'above', threshold: '5' };
  expect(AlertCondition.safeParse(condition).success).toBe(false);
});
