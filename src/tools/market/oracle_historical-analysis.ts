import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { envelopeOf } from '../../domain/data/envelope.ts';
import { Instant, SourceList } from '../../domain/data/source.ts';
import { CANDLE_INTERVALS, wholeCandles } from '../../domain/market/candles.ts';
import { HISTORY_RULES } from '../../domain/market/history.ts';
import type { MarketCandles } from '../../domain/market/markets.ts';
import { HistoryReport } from '../../domain/market/report/history-report.ts';
import { CANDLES_MIN } from '../../domain/market/volatility.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import { type DataToolDeps, dataAnswer } from '../data/data-answer.ts';
import { READS_OUTSIDE } from '../service/annotations.ts';
import { readSeries } from './candle-series.ts';
import { historyReport, STUDIES } from './history-view.ts';
import { AUTO, PairName, placesFor, VenueChoice } from './market-choice.ts';

/** Milliseconds for all venues together. */
export const HISTORY_MS = 25 * SECOND_MS;
/** Candles of one answer at the most. */
export const HISTORY_CANDLES_MAX = 1_500;

const NAME = 'oracle_historical-analysis';
const Input = z.strictObject({
  pair: PairName,
  venue: VenueChoice,
  from: Instant,
  to: Instant,
  interval: z.enum(['1m', '5m', '15m', '1h', '1d']).default('1d'),
  studies: z
    .array(z.enum(STUDIES))
    .min(1)
    .default([...STUDIES]),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Analyses the past of a pair from the finished candles of one exchange: returns, drawdowns,',
  'autocorrelation, regimes, seasonality, support and resistance, patterns (each with its rule),',
  'and indicators. Missing candles are named, never filled in; the hash of the candles is told.',
  'No forecast. Without 20 candles there is no answer, and nothing is charged.',
].join(' ');

/** What the tool works with. */
export interface HistoryToolDeps extends DataToolDeps {
  readonly markets: MarketCandles;
}

/** The tool that analyses trends and patterns of a pair's past. */
export function historyTool(deps: HistoryToolDeps): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Trends and patterns of the past',
    description: DESCRIPTION,
    annotations: READS_OUTSIDE,
    input: Input,
    output: envelopeOf(HistoryReport),
    price: { amount: toText(microUsd('0.03')), flow: 'authorization' },
    ready: (input) => ({
      candles: countOf(input),
      venues: venuesOf(input, deps.markets).length,
    }),
    run: (input, context) => run(input, context, deps),
  };
}

async function run(input: Input, context: ToolContext, deps: HistoryToolDeps): Promise<ToolResult> {
  const { clock, markets } = deps;
  const { pair, interval } = input;
  const series = await readSeries(markets, venuesOf(input, markets), {
    ...{ pair, interval, ...stretchOf(input), deadline: clock.now() + HISTORY_MS },
  });
  const sources = new SourceList();
  const ids = series.found?.sources.map((source) => sources.idOf(source)) ?? [];
  const order = { ...input, ...stretchOf(input) };
  const made = historyReport(order, series, { ids, now: clock.now() });
  const report = 'code' in made ? undefined : made;
  const missing = report === undefined ? ['candles'] : [];
  return dataAnswer(deps, context, {
    tool: NAME,
    headline:
      report === undefined
        ? `There is no history of ${pair} that can be relied on.`
        : `${pair} at ${report.venue}: ${report.n} candles of ${interval}, ` +
          `${report.gaps.length} gaps.`,
    data: (report ?? null) as unknown as JsonObject | null,
    sources: sources.records(),
    coverage: { asked: 1, answered: 1 - missing.length, missing },
    faults: [...series.faults, ...('code' in made ? [made] : [])],
    method: { ...HISTORY_RULES, candles: 'finished ones only; missing ones named' },
    disclaimer: 'What has been, not what will be. No advice.',
  });
}

function stretchOf({ from, to, interval }: Input) {
  return wholeCandles({ from: Date.parse(from), to: Date.parse(to) }, interval);
}

/** Candles of the stretch, or a refusal of too few or too many. */
function countOf(input: Input): number {
  const { from, to } = stretchOf(input);
  const count = (to - from) / CANDLE_INTERVALS[input.interval];
  if (count >= CANDLES_MIN && count <= HISTORY_CANDLES_MAX) return count;
  throw new AppError('INPUT_INVALID', {
    message: `That stretch has ${count} candles of ${input.interval}.`,
    data: {
      path: 'from',
      received: count,
      allowed: `${CANDLES_MIN} to ${HISTORY_CANDLES_MAX} candles`,
    },
  });
}

function venuesOf({ pair, venue }: Input, { venues }: MarketCandles): readonly string[] {
  return placesFor(pair, venues, venue === AUTO ? [] : [venue]);
}
