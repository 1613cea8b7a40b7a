import { formatDecimal, parseDecimal } from '../common/decimal.ts';
import { trimEndOf } from '../common/text.ts';
import { DAY_MS } from '../common/time.ts';
import { baseForm, type ListedFiling } from './forms.ts';

/** One tagged value of a filing, as published by the regulator. */
export interface TaggedFact {
  readonly concept: string;
  readonly unit: string;
  /** First day of the period; `null` for an instant. */
  readonly start: string | null;
  readonly end: string;
  /** A plain decimal. */
  readonly value: string;
  readonly accession: string;
  readonly form: string;
  readonly filed: string;
  readonly frame: string | null;
}

/** Period that a value covers. */
export type FactPeriod = 'instant' | 'quarter' | 'year_to_date' | 'year';

/** A value that belongs to the period its filing reports on. */
export interface PeriodFact extends TaggedFact {
  readonly metric: Metric;
  readonly period: FactPeriod;
  /** Number of days, inclusive; `null` for an instant. */
  readonly durationDays: number | null;
}

/** Tags that filers use for one metric. A filing may tag the total, its parts, or both. */
interface MetricTags {
  /** Tags of the total. If several have a value, they must agree. */
  readonly whole: readonly string[];
  /** Tags that add up to the total. Used only if all of them have a value. */
  readonly parts?: readonly string[];
  /** Tags that hold the total unless another tag of the filing contradicts it. */
  readonly alone?: readonly string[];
  /** Tags whose presence shows that an `alone` value is not the total. */
  readonly beside?: readonly string[];
  /** True if no part can exceed the total. */
  readonly isSumOfGains?: boolean;
}

/** Metrics by name, with the tags that filers use (us-gaap, then ifrs-full). */
export const METRICS = {
  revenue: {
    whole: [
      ...['Revenues', 'RevenuesNetOfInterestExpense', 'RegulatedAndUnregulatedOperatingRevenue'],
      ...['HealthCareOrganizationRevenue', 'RealEstateRevenueNet', 'Revenue'],
    ],
    alone: [
      'RevenueFromContractWithCustomerExcludingAssessedTax',
      'RevenueFromContractWithCustomerIncludingAssessedTax',
      ...['SalesRevenueNet', 'RevenueFromContractsWithCustomers'],
    ],
    beside: [
      ...['InterestAndDividendIncomeOperating', 'InterestIncomeExpenseNet', 'NoninterestIncome'],
      ...['PremiumsEarnedNet', 'NetInvestmentIncome', 'RevenueNotFromContractWithCustomer'],
      ...['OperatingLeaseLeaseIncome', 'OperatingLeasesIncomeStatementLeaseRevenue'],
    ],
    isSumOfGains: true,
  },
  gross_profit: { whole: ['GrossProfit'] },
  operating_income: { whole: ['OperatingIncomeLoss', 'ProfitLossFromOperatingActivities'] },
  net_income: {
    whole: ['ProfitLoss'],
    parts: ['NetIncomeLoss', 'NetIncomeLossAttributableToNoncontrollingInterest'],
    alone: ['NetIncomeLoss', 'ProfitLossAttributableToOwnersOfParent'],
  },
  net_income_of_parent: {
    whole: ['NetIncomeLoss', 'ProfitLossAttributableToOwnersOfParent'],
  },
  earnings_per_share_diluted: {
    whole: ['EarningsPerShareDiluted', 'DilutedEarningsLossPerShare'],
    alone: ['EarningsPerShareBasicAndDiluted'],
  },
  operating_cash_flow: {
    whole: ['NetCashProvidedByUsedInOperatingActivities', 'CashFlowsFromUsedInOperatingActivities'],
    parts: [
      'NetCashProvidedByUsedInOperatingActivitiesContinuingOperations',
      'CashProvidedByUsedInOperatingActivitiesDiscontinuedOperations',
    ],
    alone: ['NetCashProvidedByUsedInOperatingActivitiesContinuingOperations'],
  },
  cash: { whole: ['CashAndCashEquivalentsAtCarryingValue', 'CashAndCashEquivalents'] },
  current_assets: { whole: ['AssetsCurrent', 'CurrentAssets'] },
  total_assets: { whole: ['Assets'] },
  current_liabilities: { whole: ['LiabilitiesCurrent', 'CurrentLiabilities'] },
  total_liabilities: { whole: ['Liabilities'] },
  liabilities_and_equity: { whole: ['LiabilitiesAndStockholdersEquity', 'EquityAndLiabilities'] },
  long_term_debt: {
    whole: ['LongTermDebt'],
    parts: ['LongTermDebtNoncurrent', 'LongTermDebtCurrent'],
    alone: ['LongTermDebtNoncurrent'],
    isSumOfGains: true,
  },
  retained_earnings: { whole: ['RetainedEarningsAccumulatedDeficit', 'RetainedEarnings'] },
  equity: {
    whole: ['StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest', 'Equity'],
    parts: ['StockholdersEquity', 'MinorityInterest'],
    alone: ['StockholdersEquity', 'EquityAttributableToOwnersOfParent'],
  },
} as const satisfies Record<string, MetricTags>;

/** Name of a metric in {@link METRICS}. */
export type Metric = keyof typeof METRICS;

function listTags(metric: Metric): readonly string[] {
  const { whole, parts = [], alone = [], beside = [] }: MetricTags = METRICS[metric];
  return [...new Set([...whole, ...parts, ...alone, ...beside])];
}

/** All tags that are read. */
export const CONCEPTS: readonly string[] = [
  ...new Set((Object.keys(METRICS) as Metric[]).flatMap(listTags)),
];

/** A metric without a usable value. An ambiguous one lists the contradicting values. */
export interface MissingFact {
  readonly metric: Metric;
  readonly why: 'absent' | 'ambiguous';
  readonly candidates: readonly Candidate[];
}

type Candidate = Pick<PeriodFact, 'concept' | 'period' | 'unit' | 'value'>;

/** Usable values of a filing, and the metrics without one. */
export interface PickedFacts {
  readonly facts: readonly PeriodFact[];
  readonly missing: readonly MissingFact[];
}

/**
 * Minimum and maximum days of each period, inclusive. Quarters have 12 to 17 weeks, years 52 or 53.
 */
const SPANS: Readonly<Record<Exclude<FactPeriod, 'instant'>, readonly [number, number]>> = {
  quarter: [80, 125],
  year_to_date: [160, 300],
  year: [340, 385],
};
/** Maximum difference in days between the end of a fiscal period and the listed report date. */
const END_DAYS_MAX = 7;

/**
 * Selects the values of the period that a filing reports on.
 *
 * A filing repeats values of earlier periods, and the fiscal year of a value is that of the filing.
 * A value is therefore selected if it is in this filing, ends with the filing's period, and spans a
 * quarter, the year to date, or a year.
 */
export function factsOfPeriod(all: readonly TaggedFact[], filing: ListedFiling): PickedFacts {
  const own = all.filter(({ accession }) => accession === filing.accession);
  const end = findPeriodEnd(own, filing);
  const ending = own.filter((fact) => fact.end === end);
  const facts: PeriodFact[] = [];
  const missing: MissingFact[] = [];
  for (const metric of Object.keys(METRICS) as Metric[]) {
    const outcomes = groupByPlace(ending, metric, filing.form).map((place) =>
      resolvePlace(place, METRICS[metric]),
    );
    for (const outcome of outcomes) {
      if ('value' in outcome) facts.push(outcome);
      else if (outcome.length > 0) missing.push(ambiguous(metric, outcome));
    }
    const isFound = [...facts, ...missing].some((one) => one.metric === metric);
    if (!isFound) missing.push({ metric, why: 'absent', candidates: [] });
  }
  return withoutImpossibleRevenue(withoutRepeatedIncome({ facts, missing }));
}

/**
 * Returns the day near the report date on which most values end. The list gives the end of the
 * month for some fiscal years that end on the last weekend.
 */
function findPeriodEnd(own: readonly TaggedFact[], { reportDate, form }: ListedFiling) {
  if (reportDate === null) return undefined;
  const counts = new Map([[reportDate, 0]]);
  for (const fact of own) {
    const off = Math.abs(Date.parse(fact.end) - Date.parse(reportDate));
    const isUsable = periodOf(daysOf(fact), form) !== undefined;
    if (off > END_DAYS_MAX * DAY_MS || !isUsable) continue;
    counts.set(fact.end, (counts.get(fact.end) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([, one], [, other]) => other - one);
  return first?.[0];
}

/** Values of a metric with the same unit and period. */
type Place = readonly PeriodFact[];

function groupByPlace(own: readonly TaggedFact[], metric: Metric, form: string): readonly Place[] {
  const tags = listTags(metric);
  const places = new Map<string, PeriodFact[]>();
  for (const fact of own) {
    const durationDays = daysOf(fact);
    const period = periodOf(durationDays, form);
    if (period === undefined || !tags.includes(fact.concept)) continue;
    const place = `${fact.unit} ${period}`;
    const found = places.get(place) ?? [];
    found.push({ ...fact, metric, period, durationDays });
    places.set(place, found);
  }
  return [...places.values()];
}

/**
 * Returns the value of a group, the candidates if it is ambiguous, or an empty list without a
 * value.
 */
function resolvePlace(place: Place, tags: MetricTags): PeriodFact | readonly PeriodFact[] {
  const { whole, parts = [], alone = [], beside = [] } = tags;
  const select = (concepts: readonly string[]) =>
    concepts.map((concept) => place.filter((fact) => fact.concept === concept));
  const wholes = select(whole).flat();
  const partial = select(parts).flatMap((same) => findAgreed(same) ?? []);
  const sum = parts.length > 0 && partial.length === parts.length ? addUp(partial) : undefined;
  const lonely = select(alone).flat();
  if (wholes.length > 0) {
    const agreed = findAgreed(wholes);
    if (agreed === undefined) return wholes;
    const doubts = tags.isSumOfGains === true ? findDoubts(agreed, sum, lonely) : [];
    return doubts.length > 0 ? [agreed, ...doubts] : agreed;
  }
  if (sum !== undefined) return sum;
  const agreed = findAgreed(lonely);
  if (agreed === undefined) return lonely;
  const others = place.filter((fact) => beside.includes(fact.concept));
  return others.some((other) => isShareOf(other, agreed)) ? [agreed, ...others] : agreed;
}

/** Returns the values that contradict a total: a different sum of its parts, or a larger part. */
function findDoubts(
  whole: PeriodFact,
  sum: PeriodFact | undefined,
  lonely: readonly PeriodFact[],
): readonly PeriodFact[] {
  if (sum !== undefined && !isSameFigure(sum.value, whole.value)) return [sum];
  return lonely.filter((one) => isMore(one.value, whole.value));
}

/** Minimum share of a revenue, in percent, from which another value makes it a part. */
const BESIDE_PERCENT_MIN = 10n;

function isShareOf({ value }: TaggedFact, whole: TaggedFact): boolean {
  return parseDecimal(value) * 100n >= parseDecimal(whole.value) * BESIDE_PERCENT_MIN;
}

function addUp(parts: readonly PeriodFact[]): PeriodFact | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const sum = parts.reduce((total, { value }) => total + parseDecimal(value), 0n);
  const concept = parts.map((part) => part.concept).join('+');
  return { ...first, concept, value: formatDecimal(sum), frame: null };
}

/** Returns the most precise value if all values are equal except for rounding. */
function findAgreed(facts: readonly PeriodFact[]): PeriodFact | undefined {
  return facts.find(({ value }) =>
    facts.every((other) => other.value === value || isRounded(other.value, value)),
  );
}

function isSameFigure(one: string, other: string): boolean {
  return one === other || isRounded(one, other) || isRounded(other, one);
}

function isMore(one: string, other: string): boolean {
  return parseDecimal(one) > parseDecimal(other) && !isSameFigure(one, other);
}

/**
 * Returns whether a value is another one rounded to thousands or more, with at least three
 * significant digits.
 */
function isRounded(rounded: string, precise: string): boolean {
  const digits = rounded.replace('-', '');
  const zeros = digits.includes('.') ? 0 : digits.length - trimEndOf(digits, '0').length;
  if (zeros < 3 || digits.length - zeros < 3) return false;
  const off = parseDecimal(rounded) - parseDecimal(precise);
  return (off < 0n ? -off : off) * 2n <= parseDecimal(`1${'0'.repeat(zeros)}`);
}

function ambiguous(metric: Metric, found: readonly PeriodFact[]): MissingFact {
  const candidates = found.map(({ concept, period, unit, value }) => {
    return { concept, period, unit, value };
  });
  return { metric, why: 'ambiguous', candidates };
}

/** Removes the parent's income if it equals the total income. */
function withoutRepeatedIncome({ facts, missing }: PickedFacts): PickedFacts {
  const isRepeated = (fact: PeriodFact) =>
    fact.metric === 'net_income_of_parent' &&
    facts.some((one) => one.metric === 'net_income' && isSame(one, fact));
  return {
    facts: facts.filter((fact) => !isRepeated(fact)),
    missing: missing.filter(({ metric }) => metric !== 'net_income_of_parent'),
  };
}

function isSame(one: PeriodFact, other: PeriodFact): boolean {
  return isSamePlace(one, other) && one.value === other.value;
}

function isSamePlace(one: PeriodFact, other: PeriodFact): boolean {
  return one.unit === other.unit && one.period === other.period;
}

/**
 * Removes revenue that cannot be correct: revenue below gross profit, and contract revenue below
 * profit, which is only a part.
 */
function withoutImpossibleRevenue({ facts, missing }: PickedFacts): PickedFacts {
  const isAlone = ({ concept }: PeriodFact) => METRICS.revenue.alone.some((tag) => tag === concept);
  const findLarger = (revenue: PeriodFact) =>
    facts.find(
      (fact) =>
        isSamePlace(fact, revenue) &&
        isMore(fact.value, revenue.value) &&
        (fact.metric === 'gross_profit' ||
          (isAlone(revenue) && ['operating_income', 'net_income'].includes(fact.metric))),
    );
  const impossible = facts.flatMap((fact) => {
    const larger = fact.metric === 'revenue' ? findLarger(fact) : undefined;
    return larger === undefined ? [] : [{ fact, larger }];
  });
  return {
    facts: facts.filter((fact) => !impossible.some((one) => one.fact === fact)),
    missing: [
      ...missing,
      ...impossible.map(({ fact, larger }) => ambiguous('revenue', [fact, larger])),
    ],
  };
}

/** Returns the number of days from start to end, inclusive. */
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

/** Returns whether a form has tagged values of a period. */
export function hasFacts({ form, reportDate }: ListedFiling): boolean {
  return reportDate !== null && (YEARLY.has(baseForm(form)) || baseForm(form) === '10-Q');
}

/** Returns how long after the end of its period a value counts as the latest, in milliseconds. */
export function factMaxAgeMs(form: string): number {
  return (YEARLY.has(baseForm(form)) ? 455 : 145) * DAY_MS;
}
