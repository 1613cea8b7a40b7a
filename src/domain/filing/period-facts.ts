import { formatDecimal, parseDecimal } from '../common/decimal.ts';
import { trimEndChars } from '../common/text.ts';
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
export interface SelectedFacts {
  readonly facts: readonly PeriodFact[];
  readonly missing: readonly MissingFact[];
}

/**
 * Minimum and maximum days of each period, inclusive. Quarters have 12 to 17 weeks, years 52 or 53.
 */
const PERIOD_DAYS: Readonly<Record<Exclude<FactPeriod, 'instant'>, readonly [number, number]>> = {
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
export function selectPeriodFacts(all: readonly TaggedFact[], filing: ListedFiling): SelectedFacts {
  const own = all.filter(({ accession }) => accession === filing.accession);
  const end = findPeriodEnd(own, filing);
  const ending = own.filter((fact) => fact.end === end);
  const facts: PeriodFact[] = [];
  const missing: MissingFact[] = [];
  for (const metric of Object.keys(METRICS) as Metric[]) {
    const outcomes = groupByUnitAndPeriod(ending, metric, filing.form).map((place) =>
      resolveGroup(place, METRICS[metric]),
    );
    for (const outcome of outcomes) {
      if ('value' in outcome) facts.push(outcome);
      else if (outcome.length > 0) missing.push(createAmbiguous(metric, outcome));
    }
    const isFound = [...facts, ...missing].some((one) => one.metric === metric);
    if (!isFound) missing.push({ metric, why: 'absent', candidates: [] });
  }
  return removeImpossibleRevenue(removeRepeatedIncome({ facts, missing }));
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
    const isUsable = classifyPeriod(countDays(fact), form) !== undefined;
    if (off > END_DAYS_MAX * DAY_MS || !isUsable) continue;
    counts.set(fact.end, (counts.get(fact.end) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([, one], [, other]) => other - one);
  return first?.[0];
}

/** Values of a metric with the same unit and period. */
type FactGroup = readonly PeriodFact[];

function groupByUnitAndPeriod(
  own: readonly TaggedFact[],
  metric: Metric,
  form: string,
): readonly FactGroup[] {
  const tags = listTags(metric);
  const groups = new Map<string, PeriodFact[]>();
  for (const fact of own) {
    const durationDays = countDays(fact);
    const period = classifyPeriod(durationDays, form);
    if (period === undefined || !tags.includes(fact.concept)) continue;
    const key = `${fact.unit} ${period}`;
    const found = groups.get(key) ?? [];
    found.push({ ...fact, metric, period, durationDays });
    groups.set(key, found);
  }
  return [...groups.values()];
}

/**
 * Returns the value of a group, the candidates if it is ambiguous, or an empty list without a
 * value.
 */
function resolveGroup(group: FactGroup, tags: MetricTags): PeriodFact | readonly PeriodFact[] {
  const { whole, parts = [], alone = [], beside = [] } = tags;
  const select = (concepts: readonly string[]) =>
    concepts.map((concept) => group.filter((fact) => fact.concept === concept));
  const wholes = select(whole).flat();
  const partial = select(parts).flatMap((same) => findAgreed(same) ?? []);
  const sum = parts.length > 0 && partial.length === parts.length ? sumParts(partial) : undefined;
  const aloneFacts = select(alone).flat();
  if (wholes.length > 0) {
    const agreed = findAgreed(wholes);
    if (agreed === undefined) return wholes;
    const doubts = tags.isSumOfGains === true ? findContradictions(agreed, sum, aloneFacts) : [];
    return doubts.length > 0 ? [agreed, ...doubts] : agreed;
  }
  if (sum !== undefined) return sum;
  const agreed = findAgreed(aloneFacts);
  if (agreed === undefined) return aloneFacts;
  const others = group.filter((fact) => beside.includes(fact.concept));
  return others.some((other) => isMaterialShare(other, agreed)) ? [agreed, ...others] : agreed;
}

/** Returns the values that contradict a total: a different sum of its parts, or a larger part. */
function findContradictions(
  whole: PeriodFact,
  sum: PeriodFact | undefined,
  lonely: readonly PeriodFact[],
): readonly PeriodFact[] {
  if (sum !== undefined && !isSameValue(sum.value, whole.value)) return [sum];
  return lonely.filter((one) => isGreater(one.value, whole.value));
}

/** Minimum share of a revenue, in percent, from which another value makes it a part. */
const CONTRADICTING_PERCENT_MIN = 10n;

function isMaterialShare({ value }: TaggedFact, total: TaggedFact): boolean {
  return parseDecimal(value) * 100n >= parseDecimal(total.value) * CONTRADICTING_PERCENT_MIN;
}

function sumParts(parts: readonly PeriodFact[]): PeriodFact | undefined {
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

function isSameValue(one: string, other: string): boolean {
  return one === other || isRounded(one, other) || isRounded(other, one);
}

function isGreater(one: string, other: string): boolean {
  return parseDecimal(one) > parseDecimal(other) && !isSameValue(one, other);
}

/**
 * Returns whether a value is another one rounded to thousands or more, with at least three
 * significant digits.
 */
function isRounded(rounded: string, precise: string): boolean {
  const digits = rounded.replace('-', '');
  const zeros = digits.includes('.') ? 0 : digits.length - trimEndChars(digits, '0').length;
  if (zeros < 3 || digits.length - zeros < 3) return false;
  const off = parseDecimal(rounded) - parseDecimal(precise);
  return (off < 0n ? -off : off) * 2n <= parseDecimal(`1${'0'.repeat(zeros)}`);
}

function createAmbiguous(metric: Metric, found: readonly PeriodFact[]): MissingFact {
  const candidates = found.map(({ concept, period, unit, value }) => {
    return { concept, period, unit, value };
  });
  return { metric, why: 'ambiguous', candidates };
}

/** Removes the parent's income if it equals the total income. */
function removeRepeatedIncome({ facts, missing }: SelectedFacts): SelectedFacts {
  const isRepeated = (fact: PeriodFact) =>
    fact.metric === 'net_income_of_parent' &&
    facts.some((one) => one.metric === 'net_income' && isSameFact(one, fact));
  return {
    facts: facts.filter((fact) => !isRepeated(fact)),
    missing: missing.filter(({ metric }) => metric !== 'net_income_of_parent'),
  };
}

function isSameFact(one: PeriodFact, other: PeriodFact): boolean {
  return isSameUnitAndPeriod(one, other) && one.value === other.value;
}

function isSameUnitAndPeriod(one: PeriodFact, other: PeriodFact): boolean {
  return one.unit === other.unit && one.period === other.period;
}

/**
 * Removes revenue that cannot be correct: revenue below gross profit, and contract revenue below
 * profit, which is only a part.
 */
function removeImpossibleRevenue({ facts, missing }: SelectedFacts): SelectedFacts {
  const isAlone = ({ concept }: PeriodFact) => METRICS.revenue.alone.some((tag) => tag === concept);
  const findLarger = (revenue: PeriodFact) =>
    facts.find(
      (fact) =>
        isSameUnitAndPeriod(fact, revenue) &&
        isGreater(fact.value, revenue.value) &&
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
      ...impossible.map(({ fact, larger }) => createAmbiguous('revenue', [fact, larger])),
    ],
  };
}

/** Returns the number of days from start to end, inclusive. */
function countDays({ start, end }: TaggedFact): number | null {
  return start === null ? null : Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
}

function classifyPeriod(days: number | null, form: string): FactPeriod | undefined {
  if (days === null) return 'instant';
  const isYearly = YEARLY.has(baseForm(form));
  const allowed = isYearly ? (['year'] as const) : (['quarter', 'year_to_date'] as const);
  return allowed.find((span) => days >= PERIOD_DAYS[span][0] && days <= PERIOD_DAYS[span][1]);
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
