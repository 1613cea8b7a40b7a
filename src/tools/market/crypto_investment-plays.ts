import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { envelopeOf } from '../../domain/data/envelope.ts';
import type { DataFault } from '../../domain/data/fault.ts';
import { SourceList } from '../../domain/data/source.ts';
import type { CandleInterval } from '../../domain/market/candles.ts';
import type { MarketQuotes } from '../../domain/market/market-quotes.ts';
import type { MarketCandles } from '../../domain/market/markets.ts';
import { APPETITES } from '../../domain/market/play-risk.ts';
import { PlayReport } from '../../domain/market/report/play-report.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import { type DataToolDeps, dataAnswer } from '../data/data-answer.ts';
import { READS_OUTSIDE } from '../service/annotations.ts';
import { readCandles } from './candle-view.ts';
import { readExchanges } from './exchange-view.ts';
import { placesFor } from './market-choice.ts';
import { findPlay, type PlayFinding } from './play-view.ts';

/** Milliseconds for all instruments together. */
export const PLAYS_MS = 40 * SECOND_MS;
const NAME = 'crypto_investment-plays';
const INTERVALS = { hours: '5m', days: '1h', weeks: '1d' } as const satisfies Record<
  string,
  CandleInterval
>;

const Input = z.strictObject({
  risk: z.enum(['low', 'medium', 'high']).describe('Plays with a greater score are not given.'),
  universe: z
    .array(z.string().regex(/^[A-Z0-9]{2,10}$/))
    .min(1)
    .max(6)
    .default(['BTC', 'ETH', 'SOL'])
    .describe('What is looked at, in USD, such as BTC.'),
  horizon: z
    .enum(['hours', 'days', 'weeks'])
    .default('days')
    .describe('Candles that are looked at: of 5 minutes, of an hour, of a day.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Looks at instruments by three written rules (breakout, pullback in an uptrend, reversion in a',
  'calm market) and answers plays: entry, stops and targets, when it is void, a risk score with',
  'its parts, a size by what is put at stake, inputs with their sources, and how the rule did on',
  'the same candles after costs. No model writes any of it. Nothing applies: that is the answer.',
  'Not advice. Where no instrument can be read nothing is charged.',
].join(' ');

/** What the tool works with. */
export interface PlayToolDeps extends DataToolDeps {
  readonly quotes: MarketQuotes;
  readonly markets: MarketCandles;
}

/** The tool that answers plays with entry, exit and risk, by rule. */
export function investmentPlaysTool(deps: PlayToolDeps): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Investment plays by rule',
    description: DESCRIPTION,
    annotations: READS_OUTSIDE,
    input: Input,
    output: envelopeOf(PlayReport),
    price: { amount: toText(microUsd('0.10')), flow: 'authorization' },
    ready: ({ universe }) => ({ instruments: distinct(universe) }),
    run: (input, context) => run(input, context, deps),
  };
}

interface Looked {
  readonly instrument: string;
  /** `undefined`: there are no candles. */
  readonly found: PlayFinding | undefined;
  readonly faults: readonly DataFault[];
}

async function run(input: Input, context: ToolContext, deps: PlayToolDeps): Promise<ToolResult> {
  const sources = new SourceList();
  const deadline = deps.clock.now() + PLAYS_MS;
  const looked = await Promise.all(
    input.universe.map((base) => look(base, input, { deps, sources, deadline })),
  );
  const isAnswered = looked.some(({ found }) => found !== undefined);
  const report = isAnswered ? reportOf(input, looked) : null;
  const missing = looked.filter(({ found }) => found === undefined);
  return dataAnswer(deps, context, {
    tool: NAME,
    headline:
      report === null
        ? 'None of the instruments could be read.'
        : `${report.plays.length} plays among ${looked.length} instruments, by rule.`,
    lines: (report?.plays ?? []).map(
      ({ instrument, rule, entry, exit, risk_score: score }) =>
        `${instrument}: ${rule}, entry ${entry.type} ${entry.level.value}, stop ` +
        `${exit.stop_loss.value}, risk ${score} of 100.`,
    ),
    data: report as unknown as JsonObject | null,
    sources: sources.records(),
    coverage: {
      asked: looked.length,
      answered: looked.length - missing.length,
      missing: missing.map(({ instrument }) => instrument),
    },
    faults: looked.flatMap(({ faults }) => faults),
    method: METHOD,
    disclaimer:
      'Rules applied to the past. No offer and no advice; all that is put in can be lost.',
  });
}

const METHOD = {
  rules: 'breakout, pullback, reversion; long only; the first that applies to the last candle',
  candles: '280 finished candles of the first of Coinbase, Kraken, Bitstamp that has them',
  figures: 'computed in doubles, given with eight digits',
  score: 'volatility 30 %, drawdown, liquidity and stop 20 % each, concentration 10 %',
  backtest: 'filled on the next candle or not at all; stop before target; 0.2 % a side',
};

async function look(
  base: string,
  { horizon, risk }: Input,
  parts: { readonly deps: PlayToolDeps; readonly sources: SourceList; readonly deadline: number },
): Promise<Looked> {
  const { deps, sources, deadline } = parts;
  const pair = `${base}/USD`;
  const interval = INTERVALS[horizon];
  const reach = { clock: deps.clock, candles: deps.markets };
  const order = { pair, interval, deadline, venues: ['coinbase', 'kraken', 'bitstamp'] };
  const { view, faults } = await readCandles(order, reach, sources);
  if (view === undefined) return { instrument: pair, found: undefined, faults };
  const venues = placesFor(pair, deps.quotes.venues, []);
  const quotes = await readExchanges(
    { pair, deadline, maxAgeMs: 5 * MINUTE_MS, venues },
    deps,
    sources,
  );
  const found = findPlay({ pair, interval, risk, candles: view, quotes });
  return { instrument: pair, found, faults: [...faults, ...quotes.faults] };
}

function reportOf({ risk }: Input, looked: readonly Looked[]): PlayReport {
  return {
    risk,
    risk_score_max: APPETITES[risk].score,
    plays: looked.flatMap(({ found }) =>
      found !== undefined && 'play' in found ? [found.play] : [],
    ),
    without_play: looked.flatMap(({ instrument, found }): PlayReport['without_play'] => {
      if (found === undefined) return [{ instrument, why: 'no_data', risk_score: null }];
      return 'play' in found ? [] : [{ instrument, why: found.why, risk_score: found.score }];
    }),
  };
}

function distinct(universe: readonly string[]): number {
  if (new Set(universe).size === universe.length) return universe.length;
  throw new AppError('INPUT_INVALID', {
    message: 'An instrument stands in the universe twice.',
    data: { path: 'universe', received: [...universe] },
  });
}
