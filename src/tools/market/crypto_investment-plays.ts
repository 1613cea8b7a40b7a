import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { AppError } from '../../domain/common/error.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import type { CandleInterval } from '../../domain/market/candles.ts';
import { RISK_LIMITS } from '../../domain/market/play-risk.ts';
import { PlayReport } from '../../domain/market/report/play-report.ts';
import { VENUES } from '../../domain/market/venue/venues.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import { findPlay, type PlayFinding } from './find-play.ts';
import { readCandles } from './read-candles.ts';
import { readExchanges } from './read-exchanges.ts';
import { selectVenues } from './select-venues.ts';

/** Time limit for all instruments together, in milliseconds. */
export const PLAYS_MS = 40 * SECOND_MS;
const NAME = 'crypto_investment-plays';
const INTERVALS = { hours: '5m', days: '1h', weeks: '1d' } as const satisfies Record<
  string,
  CandleInterval
>;

const Input = z.strictObject({
  risk: z.enum(['low', 'medium', 'high']).describe('Maximum risk of a play.'),
  universe: z
    .array(z.string().regex(/^[A-Z0-9]{2,10}$/))
    .min(1)
    .max(6)
    .default(['BTC', 'ETH', 'SOL'])
    .describe('Instruments to examine, in USD, such as BTC.'),
  horizon: z
    .enum(['hours', 'days', 'weeks'])
    .default('days')
    .describe('Candles of 5 minutes, 1 hour or 1 day. Default: days.'),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.10';
const DESCRIPTION = [
  'Find crypto trade setups by three published rules: breakout, pullback in an uptrend, and',
  'reversion in a calm market. Each play has entry, stop, targets, the conditions that void it, a',
  'risk score with its parts, and a position size by risk. It also has the inputs with sources,',
  'and a backtest of the rule on the same candles after costs. If no rule matches, the list of',
  'plays is empty. For indicators and sentiment of one ticker use crypto_market-analyzer. No',
  `language model writes any part of the answer. The plays are not advice. $${PRICE_USD} per call.`,
  'You are not charged if no instrument has market data.',
].join(' ');

type Ports = Pick<Services, 'clock' | 'markets' | 'quotes' | 'trust'>;

/** Creates the tool `crypto_investment-plays`. */
export function investmentPlaysTool(deps: Ports): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Rule-based crypto investment plays',
    description: DESCRIPTION,
    summary:
      'Find crypto trade setups by published rules, with entry, stop, targets, size and ' +
      'backtest. Not advice. For indicators use crypto_market-analyzer. No charge ' +
      'without data.',
    example: { risk: 'medium' },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(PlayReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: ({ universe }) => ({ instruments: countDistinct(universe) }),
    run: (input, context) => run(input, context, deps),
  };
}

interface InstrumentResult {
  readonly instrument: string;
  /** `undefined` if there are no candles. */
  readonly found: PlayFinding | undefined;
  readonly faults: readonly DataFailure[];
}

async function run(input: Input, context: ToolContext, deps: Ports): Promise<ToolResult> {
  const sources = new SourceList();
  const deadline = deps.clock.now() + PLAYS_MS;
  const looked = await Promise.all(
    input.universe.map((base) => examineInstrument(base, input, { deps, sources, deadline })),
  );
  const isAnswered = looked.some(({ found }) => found !== undefined);
  const report = isAnswered ? reportOf(input, looked) : null;
  const missing = looked.filter(({ found }) => found === undefined);
  return createDataResult(deps, context, {
    tool: NAME,
    headline:
      report === null
        ? 'No instrument has market data.'
        : `${report.plays.length} plays among ${looked.length} instruments.`,
    lines: (report?.plays ?? []).map(
      ({ instrument, rule, entry, exit, risk_score: score }) =>
        `${instrument}: ${rule}, entry ${entry.type} ${entry.level.value}, stop ` +
        `${exit.stop_loss.value}, risk ${score} of 100.`,
    ),
    data: toJson(report),
    sources: sources.records(),
    coverage: {
      asked: looked.length,
      answered: looked.length - missing.length,
      missing: missing.map(({ instrument }) => instrument),
    },
    faults: looked.flatMap(({ faults }) => faults),
    method: METHOD,
    disclaimer:
      'Rules applied to past data. No offer and no advice; you can lose the whole amount.',
  });
}

const METHOD = {
  rules: 'breakout, pullback, reversion; long only; the first that matches the last candle',
  candles: '280 finished candles of the first of Coinbase, Kraken, Bitstamp that has them',
  figures: 'computed in doubles, with eight digits',
  score: 'volatility 30 %, drawdown, liquidity and stop 20 % each, concentration 10 %',
  backtest: 'filled on the next candle or not at all; stop before target; 0.2 % a side',
};

async function examineInstrument(
  base: string,
  { horizon, risk }: Input,
  parts: { readonly deps: Ports; readonly sources: SourceList; readonly deadline: number },
): Promise<InstrumentResult> {
  const { deps, sources, deadline } = parts;
  const pair = `${base}/USD`;
  const interval = INTERVALS[horizon];
  const reach = { clock: deps.clock, candles: deps.markets };
  const order = { pair, interval, deadline, venues: ['coinbase', 'kraken', 'bitstamp'] };
  const { view, faults } = await readCandles(order, reach, sources);
  if (view === undefined) return { instrument: pair, found: undefined, faults };
  const venues = selectVenues(pair, VENUES, []);
  const quotes = await readExchanges(
    { pair, deadline, maxAgeMs: 5 * MINUTE_MS, venues },
    deps,
    sources,
  );
  const found = findPlay({ pair, interval, risk, candles: view, quotes });
  return { instrument: pair, found, faults: [...faults, ...quotes.faults] };
}

function reportOf({ risk }: Input, looked: readonly InstrumentResult[]): PlayReport {
  return {
    risk,
    risk_score_max: RISK_LIMITS[risk].score,
    plays: looked.flatMap(({ found }) =>
      found !== undefined && 'play' in found ? [found.play] : [],
    ),
    without_play: looked.flatMap(({ instrument, found }): PlayReport['without_play'] => {
      if (found === undefined) return [{ instrument, why: 'no_data', risk_score: null }];
      return 'play' in found ? [] : [{ instrument, why: found.why, risk_score: found.score }];
    }),
  };
}

function countDistinct(universe: readonly string[]): number {
  if (new Set(universe).size === universe.length) return universe.length;
  throw new AppError('INPUT_INVALID', {
    message: '`universe` lists an instrument twice; list each one once.',
    data: { path: 'universe', received: [...universe] },
  });
}
