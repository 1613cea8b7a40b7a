import { DAY_MS } from '../time.ts';
import { baseForm, type ListedFiling } from './forms.ts';

/** One tagged figure of a filing, as the regulator gives it. */
export interface TaggedFact {
  readonly concept: string;
  readonly unit: string;
  /** First day of the period; `null` for a figure of one day. */
  readonly start: string | null;
  readonly end: string;
  /** A plain decimal. */
  readonly value: string;
  readonly accession: string;
  readonly form: string;
  readonly filed: string;
  readonly frame: string | null;
}

/** What span a figure covers. */
export type FactPeriod = 'instant' | 'quarter' | 'year_to_date' | 'year';

/** A figure that is known to be the one of the period that its filing reports on. */
export interface PeriodFact extends TaggedFact {
  readonly metric: Metric;
  readonly period: FactPeriod;
  /** Both days counted; `null` for a figure of one day. */
  readonly durationDays: number | null;
}

/** Figures by name, each with the tags that filers use for it, the usual one first. */
export const METRICS = {
  revenue: [
    'RevenueFromContractWithCustomerExcludingAssessedTax',
    'Revenues',
    'RevenueFromContractWithCustomerIncludingAssessedTax',
    'SalesRevenueNet',
  ],
  gross_profit: ['GrossProfit'],
  operating_income: ['OperatingIncomeLoss'],
  net_income: ['NetIncomeLoss', 'ProfitLoss'],
  earnings_per_share_diluted: ['EarningsPerShareDiluted'],
  operating_cash_flow: [
    'NetCashProvidedByUsedInOperatingActivities',
    'NetCashProvidedByUsedInOperatingActivitiesContinuingOperations',
  ],
  cash: ['CashAndCashEquivalentsAtCarryingValue'],
  current_assets: ['AssetsCurrent'],
  total_assets: ['Assets'],
  current_liabilities: ['LiabilitiesCurrent'],
  total_liabilities: ['Liabilities'],
  liabilities_and_equity: ['LiabilitiesAndStockholdersEquity'],
  long_term_debt: ['LongTermDebtNoncurrent', 'LongTermDebt'],
  retained_earnings: ['RetainedEarningsAccumulatedDeficit'],
  equity: [
    'StockholdersEquity',
    'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest',
  ],
} as const satisfies Record<string, readonly string[]>;

/** See {@link METRICS}. */
export type Metric = keyof typeof METRICS;

/** Every tag that is looked for. */
export const CONCEPTS: readonly string[] = Object.values(METRICS).flat();

/** What the tagged figures of a filing say, and of which metrics they say nothing usable. */
export interface PickedFacts {
  readonly facts: readonly PeriodFact[];
  /** Metrics without a figure for the period, and those whose figures contradict each other. */
  readonly missing: readonly { readonly metric: Metric; readonly why: 'absent' | 'conflicting' }[];
}

/** Days from the first to the last of each span, both counted. Years have 52 or 53 weeks. */
const SPANS: Readonly<Record<Exclude<FactPeriod, 'instant'>, readonly [number, number]>> = {
  quarter: [80, 100],
  year_to_date: [160, 290],
  year: [340, 385],
};

/**
 * Picks the figures of the period that a filing reports on. A filing repeats those of the periods
 * before beside its own, and the fiscal year that stands beside a figure is the filing's, not the
 * figure's: what decides is that a figure stands in this filing, ends on the day that the filing
 * reports on, and has the length of a quarter, a year so far, or a year.
 */
export function factsOfPeriod(all: readonly TaggedFact[], filing: ListedFiling): PickedFacts {
  const own = all.filter(
    ({ accession, end }) => accession === filing.accession && end === filing.reportDate,
  );
  const facts: PeriodFact[] = [];
  const missing: { metric: Metric; why: 'absent' | 'conflicting' }[] = [];
  for (const metric of Object.keys(METRICS) as Metric[]) {
    const found = factsOfMetric(own, metric, filing.form);
    if (found === 'conflicting') missing.push({ metric, why: 'conflicting' });
    else if (found.length === 0) missing.push({ metric, why: 'absent' });
    else facts.push(...found);
  }
  return { facts, missing };
}

/** The first of its tags that has figures for the period. */
function factsOfMetric(
  own: readonly TaggedFact[],
  metric: Metric,
  form: string,
): readonly PeriodFact[] | 'conflicting' {
  for (const concept of METRICS[metric]) {
    const usable = own
      .filter((fact) => fact.concept === concept)
      .flatMap((fact): PeriodFact[] => {
        const durationDays = daysOf(fact);
        const period = periodOf(durationDays, form);
        return period === undefined ? [] : [{ ...fact, metric, period, durationDays }];
      });
    if (usable.length === 0) continue;
    const byPlace = new Map<string, PeriodFact>();
    for (const fact of usable) {
      const place = `${fact.unit} ${fact.period}`;
      const before = byPlace.get(place);
      if (before !== undefined && before.value !== fact.value) return 'conflicting';
      byPlace.set(place, fact);
    }
    return [...byPlace.values()];
  }
  return [];
}

/** Days from the first to the last, both counted. */
function daysOf({ start, end }: TaggedFact): number | null {
  return start === null ? null : Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
}

function periodOf(days: number | null, form: string): FactPeriod | undefined {
  if (days === null) return 'instant';
  const isYearly = YEARLY.has(baseForm(form));
  const allowed = isYearly ? (['year'] as const) : (['quarter', 'year_to_date'] as const);
  return allowed.find((span) => days >= SPANS[span][0] && days <= SPANS[span][1]);
}

const YEARLY: ReadonlySet<string> = new Set(['10-K', '20-F', '40-F']);

/** Tells whether a form carries tagged figures of a period. */
export function hasFacts({ form, reportDate }: ListedFiling): boolean {
  return reportDate !== null && (YEARLY.has(baseForm(form)) || baseForm(form) === '10-Q');
}

/** How long a figure counts as the latest, in milliseconds after the end of its period. */
export function factMaxAgeMs(form: string): number {
  return (YEARLY.has(baseForm(form)) ? 455 : 145) * DAY_MS;
}
