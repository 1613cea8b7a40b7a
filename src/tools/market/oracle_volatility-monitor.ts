import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { AppError } from '../../domain/common/error.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import { DecimalText } from '../../domain/data/value.ts';
import { CANDLE_INTERVALS, type CandleInterval } from '../../domain/market/candles.ts';
import { VolatilityReport } from '../../domain/market/report/volatility-report.ts';
import {
  CANDLES_MIN,
  ESTIMATOR_RULES,
  ESTIMATORS,
  periodsPerYear,
} from '../../domain/market/volatility.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';
import { readSeries } from './candle-series.ts';
import {
  candlesPerWindow,
  measureVolatility,
  USUAL_INTERVALS,
  WINDOW_LENGTHS,
} from './measure-volatility.ts';
import { PairName, selectCandleVenues, VenueChoice } from './select-venues.ts';

/** Time limit for all venues together, in milliseconds. */
export const VOLATILITY_MS = 20 * SECOND_MS;
/** Maximum candles of one window. */
export const WINDOW_CANDLES_MAX = 1_500;

const NAME = 'oracle_volatility-monitor';

const Input = z.strictObject({
  pair: PairName,
  venue: VenueChoice,
  window: z.enum(['1h', '24h', '7d', '30d']).default('24h').describe('Time window up to now.'),
  interval: z
    .enum(['1m', '5m', '15m', '1h', '1d'])
    .optional()
    .describe('Candle length. Default: one that fits the window.')
    .meta(ADVANCED),
  estimator: z
    .enum(ESTIMATORS)
    .default('close_to_close')
    .describe('Volatility estimator.')
    .meta(ADVANCED),
  thresholds: z
    .array(
      z.strictObject({
        level: DecimalText.describe('Annualized volatility in percent.'),
        direction: z.enum(['above', 'below']).describe('Side that counts as breached.'),
      }),
    )
    .max(10)
    .default([])
    .describe('Levels to compare with; each is reported as breached or not.')
    .meta(ADVANCED),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.02';
const DESCRIPTION = [
  'Measure the volatility of a pair: annualized realized volatility over a window, from the',
  'finished candles of one exchange. Choose an estimator (close-to-close, Parkinson,',
  'Garman-Klass, Rogers-Satchell, Yang-Zhang or EWMA); the answer holds its formula. Also returns',
  'average true range, maximum drawdown, and the state of the thresholds that you set. Missing',
  `candles are listed, never filled in. Fewer than ${CANDLES_MIN} candles, or stale ones, give no`,
  'result. To be notified later use oracle_alert-generator, for past patterns',
  `oracle_historical-analysis. $${PRICE_USD} per call. You are not charged if no exchange has`,
  'enough candles.',
].join(' ');

/** Creates the tool `oracle_volatility-monitor`. */
export function volatilityTool(deps: Pick<Services, 'clock' | 'markets' | 'trust'>): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Volatility of a trading pair',
    description: DESCRIPTION,
    summary:
      'Measure a pair’s annualized volatility from finished candles, with drawdown and ' +
      'thresholds. To be notified use oracle_alert-generator. No charge with too few ' +
      'candles.',
    example: { pair: 'BTC/USD', window: '7d' },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(VolatilityReport),
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
  const { pair, window, estimator } = input;
  const interval = intervalOf(input);
  const length = CANDLE_INTERVALS[interval];
  const to = Math.floor(clock.now() / length) * length;
  const series = await readSeries(markets, selectCandleVenues(input), {
    pair,
    interval,
    from: to - WINDOW_LENGTHS[window],
    to,
    deadline: clock.now() + VOLATILITY_MS,
  });
  const sources = new SourceList();
  const ids = series.found?.sources.map((source) => sources.assignId(source)) ?? [];
  const made = measureVolatility({ ...input, interval }, series, { ids, now: clock.now() });
  const report = 'code' in made ? undefined : made;
  const figure = report?.realized_vol_annualized;
  return createDataResult(deps, context, {
    tool: NAME,
    headline:
      figure === undefined
        ? `No reliable volatility for ${pair}.`
        : `${pair}: ${figure.value} % a year over ${window} (${estimator}, ${report?.venue}).`,
    data: toJson(report ?? null),
    sources: sources.records(),
    coverage: {
      asked: 1,
      answered: report === undefined ? 0 : 1,
      missing: report === undefined ? ['candles'] : [],
    },
    faults: [...series.faults, ...('code' in made ? [made] : [])],
    method: {
      estimator: `${estimator}: ${ESTIMATOR_RULES[estimator]}`,
      annualisation: `times the square root of ${periodsPerYear(interval)} (365 days)`,
      candles: 'finished ones only; missing ones listed; no return is computed over a gap',
    },
    disclaimer: 'Past data, no forecast and no advice.',
  });
}

function intervalOf({ window, interval }: Input): CandleInterval {
  return interval ?? USUAL_INTERVALS[window];
}

/** Returns the number of candles in the window; throws if there are too few or too many. */
function requireCandleCount(input: Input): number {
  const interval = intervalOf(input);
  const count = candlesPerWindow({ ...input, interval });
  if (count >= CANDLES_MIN && count <= WINDOW_CANDLES_MAX) return count;
  throw new AppError('INPUT_INVALID', {
    message:
      `The window ${input.window} has ${count} candles of ${interval}; ` +
      `it must have ${CANDLES_MIN} to ${WINDOW_CANDLES_MAX}.`,
    data: {
      path: 'interval',
      received: interval,
      allowed: `${CANDLES_MIN} to ${WINDOW_CANDLES_MAX} candles in a window`,
    },
  });
}
