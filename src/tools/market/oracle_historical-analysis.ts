import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { AppError } from '../../domain/common/error.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { Instant, SourceList } from '../../domain/data/source.ts';
import { CANDLE_INTERVALS, roundToCandles } from '../../domain/market/candles.ts';
import { HISTORY_RULES } from '../../domain/market/history.ts';
import { HistoryReport } from '../../domain/market/report/history-report.ts';
import { CANDLES_MIN } from '../../domain/market/volatility.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import { analyzeHistory, STUDIES } from './analyze-history.ts';
import { readSeries } from './candle-series.ts';
import { PairName, selectCandleVenues, VenueChoice } from './select-venues.ts';

/** Time limit for all venues together, in milliseconds. */
export const HISTORY_MS = 25 * SECOND_MS;
/** Maximum candles of one answer. */
export const HISTORY_CANDLES_MAX = 1_500;

const NAME = 'oracle_historical-analysis';
const Input = z.strictObject({
  pair: PairName,
  venue: VenueChoice,
  from: Instant.describe('Start of the range, RFC 3339.'),
  to: Instant.describe('End of the range, RFC 3339.'),
  interval: z
    .enum(['1m', '5m', '15m', '1h', '1d'])
    .default('1d')
    .describe('Candle length.')
    .meta(ADVANCED),
  studies: z
    .array(z.enum(STUDIES))
    .min(1)
    .default([...STUDIES])
    .describe('Analyses to run. Default: all.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.03';
const DESCRIPTION = [
  'Analyze the price history of a pair from the finished candles of one exchange. Covers returns,',
  'drawdowns, autocorrelation, regimes, seasonality, support and resistance, patterns (each with',
  'its rule), and indicators. Missing candles are listed, never filled in. The answer holds the',
  'hash of the candles, so that you can check them later. For the current price use',
  'oracle_price-feed, for volatility with thresholds oracle_volatility-monitor. There is no',
  `forecast. ${CANDLES_MIN} to ${HISTORY_CANDLES_MAX} candles per call. $${PRICE_USD} per call.`,
  `You are not charged if fewer than ${CANDLES_MIN} candles are available.`,
].join(' ');

/** Creates the tool `oracle_historical-analysis`. */
export function historyTool(deps: Pick<Services, 'clock' | 'markets' | 'trust'>): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Historical price analysis',
    description: DESCRIPTION,
    summary:
      'Analyze a pair’s history of 20 to 1500 candles: returns, drawdowns, regimes, ' +
      'patterns. No forecast. For the price now use oracle_price-feed. No charge with ' +
      'too few candles.',
    example: { pair: 'BTC/USD', from: '2026-01-01T00:00:00Z', to: '2026-03-31T00:00:00Z' },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(HistoryReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => ({
      candles: requireCandleCount(input),
      venues: selectCandleVenues(input).length,
    }),
    run: (input, context) => run(input, context, deps),
  };
}

async function run(
  input: Input,
  context: ToolContext,
  deps: Pick<Services, 'clock' | 'markets' | 'trust'>,
): Promise<ToolResult> {
  const { clock, markets } = deps;
  const { pair, interval } = input;
  const series = await readSeries(markets, selectCandleVenues(input), {
    pair,
    interval,
    ...rangeOf(input),
    deadline: clock.now() + HISTORY_MS,
  });
  const sources = new SourceList();
  const ids = series.found?.sources.map((source) => sources.assignId(source)) ?? [];
  const order = { ...input, ...rangeOf(input) };
  const made = analyzeHistory(order, series, { ids, now: clock.now() });
  const report = 'code' in made ? undefined : made;
  const missing = report === undefined ? ['candles'] : [];
  return createDataResult(deps, context, {
    tool: NAME,
    headline:
      report === undefined
        ? `No reliable history for ${pair}.`
        : `${pair} at ${report.venue}: ${report.n} candles of ${interval}, ` +
          `${report.gaps.length} gaps.`,
    data: toJson(report ?? null),
    sources: sources.records(),
    coverage: { asked: 1, answered: 1 - missing.length, missing },
    faults: [...series.faults, ...('code' in made ? [made] : [])],
    method: { ...HISTORY_RULES, candles: 'finished ones only; missing ones listed' },
    disclaimer: 'Past data, no forecast and no advice.',
  });
}

function rangeOf({ from, to, interval }: Input) {
  return roundToCandles({ from: Date.parse(from), to: Date.parse(to) }, interval);
}

/** Returns the number of candles in the range; throws if there are too few or too many. */
function requireCandleCount(input: Input): number {
  const { from, to } = rangeOf(input);
  const count = (to - from) / CANDLE_INTERVALS[input.interval];
  if (count >= CANDLES_MIN && count <= HISTORY_CANDLES_MAX) return count;
  throw new AppError('INPUT_INVALID', {
    message:
      `The range has ${count} candles of ${input.interval}; ` +
      `it must have ${CANDLES_MIN} to ${HISTORY_CANDLES_MAX}.`,
    data: {
      path: 'from',
      received: count,
      allowed: `${CANDLES_MIN} to ${HISTORY_CANDLES_MAX} candles`,
    },
  });
}
