import { formatDecimal, parseDecimal } from '../common/decimal.ts';
import type { Metric, PeriodFact } from '../filing/period-facts.ts';

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
export function computeRatios(facts: readonly PeriodFact[]): readonly Ratio[] {
  const factByMetric = new Map<Metric, PeriodFact>();
  for (const fact of facts) {
    if (fact.period === 'instant' || fact.period === 'year') factByMetric.set(fact.metric, fact);
  }
  return [computeCurrentRatio(factByMetric), computeAltmanZ(factByMetric)].filter(
    (ratio) => ratio !== undefined,
  );
}

type FactByMetric = ReadonlyMap<Metric, PeriodFact>;

function computeCurrentRatio(given: FactByMetric): Ratio | undefined {
  const inputs = findInputs(given, ['current_assets', 'current_liabilities'] as const);
  if (inputs === undefined || inputs.of.current_liabilities <= 0n) return undefined;
  const value = divideScaled(inputs.of.current_assets, inputs.of.current_liabilities);
  return {
    name: 'current_ratio',
    value: formatRatio(value),
    end: inputs.end,
    formula: 'current assets / current liabilities',
  };
}

/** Altman Z'' for non-manufacturers (1995), without its constant. */
function computeAltmanZ(given: FactByMetric): Ratio | undefined {
  const inputs = findInputs(given, [
    ...(['current_assets', 'current_liabilities', 'total_assets', 'retained_earnings'] as const),
    ...(['operating_income', 'equity', 'total_liabilities'] as const),
  ]);
  if (inputs === undefined) return undefined;
  const { of, end } = inputs;
  if (of.total_assets <= 0n || of.total_liabilities <= 0n) return undefined;
  const working = of.current_assets - of.current_liabilities;
  const sum =
    656n * divideScaled(working, of.total_assets) +
    326n * divideScaled(of.retained_earnings, of.total_assets) +
    672n * divideScaled(of.operating_income, of.total_assets) +
    105n * divideScaled(of.equity, of.total_liabilities);
  return {
    name: 'altman_z',
    value: formatRatio(sum / 100n),
    end,
    formula:
      '6.56 working capital/assets + 3.26 retained earnings/assets + 6.72 operating income/assets' +
      ' + 1.05 equity/liabilities',
  };
}

function findInputs<Name extends Metric>(given: FactByMetric, names: readonly Name[]) {
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

function divideScaled(part: bigint, whole: bigint): bigint {
  return (part * SCALE) / whole;
}

/** Formats millionths as a decimal with two places. */
function formatRatio(millionths: bigint): string {
  const hundredths = millionths / (SCALE / 100n);
  return formatDecimal(hundredths * 10n ** 16n);
}
