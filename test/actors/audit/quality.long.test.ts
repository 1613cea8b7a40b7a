import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { PROBES } from '../../../src/actors/audit/probes/probes.ts';
import { assessVariant } from '../../support/audits/assess.ts';
import { corpusScore } from '../../support/audits/corpus-score.ts';
import { EXPECTED_PROBES } from '../../support/audits/expected-probes.ts';
import { type MeasuredVariant, qualityPage } from '../../support/audits/quality-page.ts';
import { allTargets } from '../../support/targets/all-targets.ts';
import { knownTargets } from '../../support/targets/known/known-targets.ts';
import type { Target } from '../../support/targets/target.ts';

const PAGE = fileURLToPath(new URL('../../../docs/audit-quality.md', import.meta.url));
const SEEDS = (process.env['STOA_QUALITY_SEEDS'] ?? '6').split(',').map(Number);
/** Twins are asked by the probes of their own fault alone: a quick look over many seeds. */
const ONLY_EXPECTED = process.env['STOA_QUALITY_QUICK'] !== undefined;
/** A guard against falling back; what was measured stands on the page, with what was missed. */
const RECALL_MIN = 0.8;
/** Rows of earlier runs over other seeds, one a line: the page is written from all of them. */
const ROWS = process.env['STOA_QUALITY_ROWS'];
const rows: MeasuredVariant[] = [];

const variants = [...allTargets, ...knownTargets].flatMap((target) =>
  SEEDS.flatMap((seed) => [false, true].map((fixed) => ({ target, seed, fixed }))),
);

describe('targets', { timeout: 600_000 }, () => {
  test.concurrent.each(variants)('$target.name, seed $seed, fixed: $fixed', async (variant) => {
    const row = await measured(variant);
    rows.push(row);
    if (ROWS !== undefined) appendFileSync(ROWS, `${JSON.stringify(row)}\n`);
    if (variant.fixed) expect(row.isTold, 'nothing is confirmed of a twin').toBe(false);
  });
});

test('most faults are told, and the page says which are not', () => {
  const faulty = rows.filter(({ fixed }) => !fixed);
  const told = faulty.filter(({ isTold }) => isTold).length;
  expect(told / faulty.length).toBeGreaterThanOrEqual(RECALL_MIN);
});

// Words of families that were not looked at are caught less often; the page says how often.
test('text checks do not fall behind what was measured on families they were not tuned on', () => {
  const { precision, recall } = corpusScore('held-out');
  expect(precision).toBeGreaterThanOrEqual(0.9);
  expect(recall).toBeGreaterThanOrEqual(0.6);
  const second = corpusScore('unseen');
  expect(second.precision).toBeGreaterThanOrEqual(0.86);
  expect(second.recall).toBeGreaterThanOrEqual(0.85);
});

afterAll(() => {
  if (process.env['STOA_WRITE_QUALITY'] === undefined) return;
  const parts = ['development', 'held-out', 'tune', 'unseen'] as const;
  const scores = parts.map((part) => ({ part, score: corpusScore(part) }));
  writeFileSync(PAGE, qualityPage(allRows(), scores));
});

/** The last row of each variant, over all runs that wrote into the same file. */
function allRows(): readonly MeasuredVariant[] {
  if (ROWS === undefined || !existsSync(ROWS)) return rows;
  const lines = readFileSync(ROWS, 'utf8').trim().split('\n');
  const read = lines.map((line) => JSON.parse(line) as MeasuredVariant);
  return [...new Map(read.map((row) => [`${row.target} ${row.seed} ${row.fixed}`, row])).values()];
}

interface Variant {
  readonly target: Target;
  readonly seed: number;
  readonly fixed: boolean;
}

async function measured({ target, seed, fixed }: Variant): Promise<MeasuredVariant> {
  const expected = EXPECTED_PROBES[target.name] ?? [];
  // Only these can tell a fault; of a twin, nothing that any probe says may be confirmed.
  const isAll = fixed && !ONLY_EXPECTED;
  const own = PROBES.filter(({ probeId }) => expected.includes(probeId));
  const probes = isAll ? PROBES : own;
  const { findings } = await assessVariant(target, { seed, fixed }, { probes });
  const speaking = findings.filter(
    ({ status }) => status === 'confirmed' || status === 'indicator',
  );
  const isTold = fixed
    ? findings.some(({ status }) => status === 'confirmed')
    : speaking.some(({ probeId }) => expected.includes(probeId));
  const indicators = findings.filter(({ status }) => status === 'indicator');
  return {
    target: target.name,
    category: target.category,
    isBlind: allTargets.includes(target),
    seed,
    fixed,
    isTold,
    isAll,
    indicators: fixed ? indicators.map(({ probeId }) => probeId) : [],
  };
}
