import { formatDecimal, parseDecimal } from '../common/decimal.ts';
import { trimEndOf } from '../common/text.ts';
import { DAY_MS } from '../common/time.ts';
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

/** How filers tag one metric. A filing may hold the whole of it, parts of it, or both. */
interface MetricTags {
  /** Tags of the whole. Where several have a figure, they must agree. */
  readonly whole: readonly string[];
  /** Tags whose sum is the whole. They count where all of them have a figure. */
  readonly parts?: readonly string[];
  /** Tags that hold the whole where no other tag of the filing says otherwise. */
  readonly alone?: readonly string[];
  /** Tags of what stands beside an `alone` figure and shows that it is not the whole. */
  readonly beside?: readonly string[];
  /** Whether no part can be more than the whole. */
  readonly isSumOfGains?: boolean;
}

/** Figures by name, each with the tags that filers use for it (us-gaap, then ifrs-full). */
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

/** See {@link METRICS}. */
export type Metric = keyof typeof METRICS;

function listTags(metric: Metric): readonly string[] {
  const { whole, parts = [], alone = [], beside = [] }: MetricTags = METRICS[metric];
  return [...new Set([...whole, ...parts, ...alone, ...beside])];
}

/** Every tag that is looked for. */
export const CONCEPTS: readonly string[] = [
  ...new Set((Object.keys(METRICS) as Metric[]).flatMap(listTags)),
];

/** A metric without a figure. An ambiguous one names the figures that contradict each other. */
export interface MissingFact {
  readonly metric: Metric;
  readonly why: 'absent' | 'ambiguous';
  readonly candidates: readonly Candidate[];
}

type Candidate = Pick<PeriodFact, 'concept' | 'period' | 'unit' | 'value'>;

/** What the tagged figures of a filing say, and of which metrics they say nothing usable. */
export interface PickedFacts {
  readonly facts: readonly PeriodFact[];
  readonly missing: readonly MissingFact[];
}

/**
 * Days from the first to the last of each span, both counted. Quarters have 12 to 17 weeks, years
 * 52 or 53.
 */
const SPANS: Readonly<Record<Exclude<FactPeriod, 'instant'>, readonly [number, number]>> = {
  quarter: [80, 125],
  year_to_date: [160, 300],
  year: [340, 385],
};
/** Days by which a fiscal period may end beside the day that the list of filings gives. */
const END_DAYS_MAX = 7;

/**
 * Picks the figures of the period that a filing reports on. A filing repeats those of the periods
 * before beside its own, and the fiscal year that stands beside a figure is the filing's, not the
 * figure's: what decides is that a figure stands in this filing, ends with its period, and has the
 * length of a quarter, a year so far, or a year.
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
 * The day on which most figures near the report date end. The list gives the end of the month for
 * some fiscal years that end on the last weekend.
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

/** Figures of a metric that have one unit and one span. */
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

/** The figure of a place; the candidates where it is ambiguous, none where there is no figure. */
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

/** What contradicts a whole: another sum of its parts, or a part that is more than it. */
function findDoubts(
  whole: PeriodFact,
  sum: PeriodFact | undefined,
  lonely: readonly PeriodFact[],
): readonly PeriodFact[] {
  if (sum !== undefined && !isSameFigure(sum.value, whole.value)) return [sum];
  return lonely.filter((one) => isMore(one.value, whole.value));
}

/** Figures beside a revenue that have less than this share of it do not make it a part, in %. */
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

/** The most precise of figures that are one figure, written with more or fewer digits. */
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

/** Whether a figure is another one in whole thousands or more, with three digits at the least. */
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

/** The income of the parent stands on its own only where it differs from the whole income. */
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
 * A revenue below the gross profit is none. One that only its customers' contracts tell of is a
 * part where the profit is larger.
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
