import { z } from 'zod';
import type { DataFailure } from '../../data/data-failure.ts';
import type { DataValue } from '../../data/value.ts';
import type { Drawing } from '../../drawing/svg.ts';
import { ComprehensiveReport } from '../../market/report/comprehensive-report.ts';
import { DiligenceReport, VettingReport } from '../../vetting/verdict.ts';
import { drawGenericCharts } from './generic-drawings.ts';
import { drawLenses } from './lens-drawings.ts';
import { drawMarketCharts } from './market-drawings.ts';

/** A key value at the top of a report. */
export interface Headline {
  readonly name: string;
  readonly figure: DataValue | string;
}

/** A chapter of a report, with its charts and data. */
export interface Chapter {
  readonly title: string;
  /** Completeness of the chapter; `null` if it is known only for the whole report. */
  readonly status: string | null;
  readonly missing: readonly string[];
  readonly faults: readonly DataFailure[];
  readonly drawings: readonly Drawing[];
  /** Data to render; `undefined` if nothing was returned. */
  readonly data: unknown;
  /** Whether the data is initially expanded. Data that is already in a chart is collapsed. */
  readonly isOpen: boolean;
}

/** The content of an answer for a page or a console. */
export interface ReportContent {
  readonly title: string;
  readonly headlines: readonly Headline[];
  readonly chapters: readonly Chapter[];
}

/**
 * Converts an answer to chapters: ticker reports by section, reports with lenses by lens, and all
 * other answers as one chapter.
 */
export function buildReportContent(tool: string, data: unknown): ReportContent {
  const market = ComprehensiveReport.safeParse(data);
  if (market.success) return buildMarketContent(market.data);
  const lenses = LensAnswer.safeParse(data);
  if (lenses.success) return buildLensContent(lenses.data);
  return {
    title: `Report: ${tool}`,
    headlines: [],
    chapters: [
      createChapter('Answer', { drawings: drawGenericCharts(data), data: data ?? undefined }),
    ],
  };
}

/** Reports with lenses. They differ in the name of their verdict. */
const LensAnswer = z.looseObject({
  ...VettingReport.omit({ verdict: true }).shape,
  verdict: VettingReport.shape.verdict.optional(),
  overall: DiligenceReport.shape.overall.optional(),
  overall_missing: DiligenceReport.shape.overall_missing.optional(),
});
type LensAnswer = z.infer<typeof LensAnswer>;

function buildMarketContent({ ticker, vs, sections }: ComprehensiveReport): ReportContent {
  const drawings = drawMarketCharts(sections);
  return {
    title: `Report on ${ticker}/${vs}`,
    headlines: buildMarketHeadlines(sections),
    chapters: Object.entries(MARKET_TITLES).map(([name, title]) => {
      const key = name as keyof typeof sections;
      const { status, missing, faults, report } = sections[key];
      const { candles, ...rest } = { candles: undefined, ...report };
      const data = report === null ? undefined : { ...rest, ...describeCandles(candles) };
      return { title, status, missing, faults, drawings: drawings[key], data, isOpen: false };
    }),
  };
}

const MARKET_TITLES: Readonly<Record<keyof ComprehensiveReport['sections'], string>> = {
  price: 'Price now',
  history: 'History',
  volatility: 'Volatility',
  arbitrage: 'Spreads between exchanges',
  sentiment: 'Sentiment',
};

/** Candles are in the chart. As rows they would be most of the page. */
function describeCandles(candles: { readonly rows: readonly unknown[] } | undefined) {
  return candles === undefined ? {} : { candles: `${candles.rows.length}, listed in the JSON` };
}

function buildMarketHeadlines({
  price,
  volatility,
  history,
  arbitrage,
  sentiment,
}: ComprehensiveReport['sections']): readonly Headline[] {
  const [best] = arbitrage.report?.opportunities ?? [];
  const spread = best?.net_spread_bps ?? null;
  return [
    { name: 'Price', figure: price.report?.price ?? UNKNOWN },
    {
      name: 'Annualized volatility',
      figure: volatility.report?.realized_vol_annualized ?? UNKNOWN,
    },
    { name: 'Highest', figure: history.report?.highest ?? UNKNOWN },
    { name: 'Lowest', figure: history.report?.lowest ?? UNKNOWN },
    {
      name: 'Best spread after fees',
      figure:
        best === undefined || spread === null
          ? UNKNOWN
          : { ...best.entry_ask, value: spread, unit: 'bps', sources: mergeSources(best) },
    },
    { name: 'Sentiment', figure: sentiment.report?.overall?.score ?? UNKNOWN },
  ];
}

const UNKNOWN = 'unknown';

function mergeSources({
  entry_ask,
  exit_bid,
}: {
  readonly entry_ask: DataValue;
  readonly exit_bid: DataValue;
}): string[] {
  return [...new Set([...entry_ask.sources, ...exit_bid.sources])];
}

function buildLensContent(answer: LensAnswer): ReportContent {
  const { subject, verdict, overall, overall_missing: missingCoverage, lenses, red_flags } = answer;
  const withData = lenses.filter(({ status }) => status === 'ok' || status === 'partial');
  const knownNames = Object.keys(LensAnswer.shape);
  const rest = Object.entries(answer).filter(([name]) => !knownNames.includes(name));
  const more = Object.fromEntries(rest);
  return {
    title: `Report on ${subject}`,
    headlines: [
      { name: 'Risk', figure: (verdict ?? overall ?? UNKNOWN).replaceAll('_', ' ') },
      { name: 'Red flags', figure: String(red_flags.length) },
      { name: 'Lenses with data', figure: `${withData.length} of ${lenses.length}` },
    ],
    chapters: [
      createChapter('Overview', {
        drawings: drawLenses(lenses),
        data: {
          ...(missingCoverage === undefined || missingCoverage.length === 0
            ? {}
            : { overall_missing: missingCoverage }),
          red_flags,
        },
      }),
      ...lenses.map((lens) =>
        createChapter(lens.lens.replaceAll('_', ' '), {
          status: lens.status,
          data: buildLensData(lens),
        }),
      ),
      ...(rest.length === 0
        ? []
        : [createChapter('More', { drawings: drawGenericCharts(more), data: more })]),
    ],
  };
}

/** Returns the data of a lens. Empty parts are omitted, except findings. */
function buildLensData({ note, findings, figures, searched }: LensAnswer['lenses'][number]) {
  return {
    ...(note === null ? {} : { note }),
    findings,
    ...(figures.length === 0 ? {} : { figures }),
    ...(searched.length === 0 ? {} : { searched }),
  };
}

function createChapter(title: string, fields: Partial<Chapter>): Chapter {
  const nothing = { status: null, missing: [], faults: [], drawings: [], data: undefined };
  return { title, ...nothing, isOpen: true, ...fields };
}
