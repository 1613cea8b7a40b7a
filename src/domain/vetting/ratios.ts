import { formatDecimal, parseDecimal } from '../common/decimal.ts';
import type { Metric, PeriodFact } from '../filing/facts.ts';

/** A financial ratio, computed from values of one date and one filing. */
export interface Ratio {
  readonly name: 'current_ratio' | 'altman_z';
  /** A decimal. */
  readonly value: string;
  readonly end: string;
  readonly formula: string;
}

const SCALE = 1_000_000n;

/**
 * Computes all ratios whose inputs are complete, with one end date and one unit. Incomplete ratios
 * are omitted.
 */
export function ratiosOf(facts: readonly PeriodFact[]): readonly Ratio[] {
  const given = new Map<Metric, PeriodFact>();
  for (const fact of facts) {
    if (fact.period === 'instant' || fact.period === 'year') given.set(fact.metric, fact);
  }
  return [currentRatio(given), altman(given)].filter((ratio) => ratio !== undefined);
}

type Given = ReadonlyMap<Metric, PeriodFact>;

function currentRatio(given: Given): Ratio | undefined {
  const inputs = inputsOf(given, ['current_assets', 'current_liabilities'] as const);
  if (inputs === undefined || inputs.of.current_liabilities <= 0n) return undefined;
  const value = share(inputs.of.current_assets, inputs.of.current_liabilities);
  return {
    ...{ name: 'current_ratio', value: plain(value), end: inputs.end },
    formula: 'current assets / current liabilities',
  };
}

/** Altman Z'' for non-manufacturers (1995), without its constant. */
function altman(given: Given): Ratio | undefined {
  const inputs = inputsOf(given, [
    ...(['current_assets', 'current_liabilities', 'total_assets', 'retained_earnings'] as const),
    ...(['operating_income', 'equity', 'total_liabilities'] as const),
  ]);
  if (inputs === undefined) return undefined;
  const { of, end } = inputs;
  if (of.total_assets <= 0n || of.total_liabilities <= 0n) return undefined;
  const working = of.current_assets - of.current_liabilities;
  const sum =
    656n * share(working, of.total_assets) +
    326n * share(of.retained_earnings, of.total_assets) +
    672n * share(of.operating_income, of.total_assets) +
    105n * share(of.equity, of.total_liabilities);
  return {
    ...{ name: 'altman_z', value: plain(sum / 100n), end },
    formula:
      '6.56 working capital/assets + 3.26 retained earnings/assets + 6.72 operating income/assets' +
      ' + 1.05 equity/liabilities',
  };
}

function inputsOf<Name extends Metric>(given: Given, names: readonly Name[]) {
  const facts = names.map((name) => given.get(name)).filter((fact) => fact !== undefined);
  const [first] = facts;
  const isOne = facts.every(
    ({ end, unit, accession }) =>
      end === first?.end && unit === first.unit && accession === first.accession,
  );
  if (first === undefined || facts.length < names.length || !isOne) return undefined;
  const of = Object.fromEntries(facts.map(({ metric, value }) => [metric, parseDecimal(value)]));
  return { of: of as Record<Name, bigint>, end: first.end };
}

function share(part: bigint, whole: bigint): bigint {
  return (part * SCALE) / whole;
}

/** Formats millionths as a decimal with two places. */
function plain(millionths: bigint): string {
  const hundredths = millionths / (SCALE / 100n);
  return formatDecimal(hundredths * 10n ** 16n);
}
