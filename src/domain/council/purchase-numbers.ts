import { formatUsd, parseUsd } from '../common/money.ts';
import type { CouncilFacts, PriceLine, SavingLine } from './records.ts';

/** Numbers of a purchase, recomputed from its lines; whole micro-dollars as text. */
export interface PurchaseNumbers {
  /** Total cost of ownership over the term; `null` without prices. */
  readonly tcoMicroUsd: string | null;
  /** Total cost with each year discounted to the first. */
  readonly tcoDiscountedMicroUsd: string | null;
  readonly budgetMicroUsd: string | null;
  /** Budget minus committed amounts and total cost; may be negative. */
  readonly budgetLeftMicroUsd: string | null;
  /** First month in which cumulative savings cover cumulative cost; `never` within the term. */
  readonly paybackMonths: number | 'never' | null;
}

/** A stated number that differs from the one recomputed from the brief's lines. */
export interface WrongNumber {
  readonly figure: string;
  readonly stated: string;
  readonly recomputed: string;
  readonly difference: string;
}

const MONTHS = 12;
const BPS = 10_000n;
/** Stated amounts may be rounded to the dollar. */
const ROUNDING_MICRO_USD = 1_000_000n;

/**
 * Recomputes the numbers of a brief. Recurring amounts are spread over 12 months; one-off amounts
 * fall due at once.
 */
export function computeNumbers({ money }: CouncilFacts): PurchaseNumbers {
  const costs = money === undefined ? [] : amountsByYear(money.prices, money.term_years);
  const hasPrices = money !== undefined && money.prices.length > 0;
  const tco = sumAmounts(costs);
  const budget = money?.budget_usd === undefined ? null : parseUsd(money.budget_usd);
  const committed = parseUsd(money?.budget_committed_usd ?? '0');
  const rate = money?.discount_rate_pct;
  return {
    tcoMicroUsd: hasPrices ? String(tco) : null,
    tcoDiscountedMicroUsd:
      hasPrices && rate !== undefined ? String(sumDiscounted(costs, toBasisPoints(rate))) : null,
    budgetMicroUsd: budget === null ? null : String(budget),
    budgetLeftMicroUsd: budget !== null && hasPrices ? String(budget - committed - tco) : null,
    paybackMonths: hasPrices && money.savings.length > 0 ? computePayback(money) : null,
  };
}

/** Compares the stated numbers of a brief with the recomputed ones. */
export function findWrongNumbers(
  facts: CouncilFacts,
  figures: PurchaseNumbers,
): readonly WrongNumber[] {
  const stated = facts.stated ?? {};
  const amounts = [
    ['tco', stated.tco_usd, figures.tcoMicroUsd],
    ['tco_discounted', stated.tco_discounted_usd, figures.tcoDiscountedMicroUsd],
    ['budget_left', stated.budget_left_usd, figures.budgetLeftMicroUsd],
  ] as const;
  const wrong = amounts.flatMap(([figure, said, computed]) =>
    said === undefined || computed === null ? [] : compareAmount(figure, said, BigInt(computed)),
  );
  return [...wrong, ...comparePayback(stated.payback_months, figures.paybackMonths)];
}

/** Formats an amount that may be negative, in dollars. */
export function formatSignedUsd(amount: bigint): string {
  return amount < 0n ? `-${formatUsd(-amount)}` : formatUsd(amount);
}

/** Converts a percentage to basis points. */
export function toBasisPoints(percent: string): bigint {
  const [whole = '0', places = ''] = percent.split('.');
  return BigInt(whole) * 100n + BigInt(places.padEnd(2, '0'));
}

function compareAmount(
  figure: string,
  statedText: string,
  computed: bigint,
): readonly WrongNumber[] {
  const isNegative = statedText.startsWith('-');
  const amount: bigint = parseUsd(isNegative ? statedText.slice(1) : statedText);
  const stated = isNegative ? -amount : amount;
  const difference = computed - stated;
  if ((difference < 0n ? -difference : difference) <= ROUNDING_MICRO_USD) return [];
  return [
    {
      figure,
      stated: `${formatSignedUsd(stated)} USD`,
      recomputed: `${formatSignedUsd(computed)} USD`,
      difference: `${formatSignedUsd(difference)} USD`,
    },
  ];
}

function comparePayback(
  stated: number | undefined,
  computed: PurchaseNumbers['paybackMonths'],
): readonly WrongNumber[] {
  if (stated === undefined || computed === null || stated === computed) return [];
  const isNever = computed === 'never';
  return [
    {
      figure: 'payback',
      stated: `${stated} months`,
      recomputed: isNever ? 'never within the term' : `${computed} months`,
      difference: isNever ? 'not within the term' : `${computed - stated} months`,
    },
  ];
}

type AmountLine = PriceLine | SavingLine;

/** Returns the amounts due in each year of the term, in micro-dollars. */
function amountsByYear(lines: readonly AmountLine[], termYears: number): readonly bigint[] {
  return Array.from({ length: termYears }, (_, at) =>
    sumAmounts(
      lines.filter((line) => isDue(line, at + 1)).map((line) => parseUsd(line.amount_usd)),
    ),
  );
}

function isDue(line: AmountLine, year: number): boolean {
  if ('kind' in line && line.kind === 'one_off') return line.from_year === year;
  return year >= line.from_year && year <= (line.to_year ?? Number.POSITIVE_INFINITY);
}

/** Sums the years, each discounted once more than the previous one, rounded to the micro-dollar. */
function sumDiscounted(years: readonly bigint[], rateBps: bigint): bigint {
  return sumAmounts(
    years.map((amount, at) => {
      const below = (BPS + rateBps) ** BigInt(at);
      const above = amount * BPS ** BigInt(at);
      return (above + below / 2n) / below;
    }),
  );
}

function computePayback({
  prices,
  savings,
  term_years,
}: NonNullable<CouncilFacts['money']>): number | 'never' {
  const isOneOff = ({ kind }: PriceLine) => kind === 'one_off';
  const once = amountsByYear(prices.filter(isOneOff), term_years);
  const running = amountsByYear(
    prices.filter((line) => !isOneOff(line)),
    term_years,
  );
  const saved = amountsByYear(savings, term_years);
  // The balance is scaled by 12, so that no month needs a fraction.
  let balance = 0n;
  for (let month = 0; month < term_years * MONTHS; month += 1) {
    const year = Math.floor(month / MONTHS);
    if (month % MONTHS === 0) balance -= (once[year] ?? 0n) * BigInt(MONTHS);
    balance += (saved[year] ?? 0n) - (running[year] ?? 0n);
    if (balance >= 0n) return month + 1;
  }
  return 'never';
}

function sumAmounts(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
