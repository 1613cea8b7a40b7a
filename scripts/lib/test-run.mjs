// What a test run is made of and what it came to.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { CHECKOUT, filesUnder } from './checkout.mjs';

/** Long tests that play more rounds, versions or broken copies than others, and take minutes. */
const REPEATS = [
  'test/adversary/mutations.long.test.ts',
  'test/conformance/requirements-2026-short.long.test.ts',
  'test/e2e/chain-crash.long.test.ts',
  'test/e2e/sample-repositories.long.test.ts',
  'test/machines/hosting-mutants.long.test.ts',
  'test/model/broken-alerts.long.test.ts',
  'test/model/broken-jobs.long.test.ts',
  'test/model/every-path.long.test.ts',
  'test/providers/hosting/local/postgres/majors.long.test.ts',
  'test/sim/million.long.test.ts',
  'test/testing/mutants.long.test.ts',
];

/**
 * Test files that have a long form: `*.long.test.ts`, those that read STOA_LONG, and the searches
 * of attackers. CI, whose time is bounded, plays those that have no short form, without repeats;
 * see docs/decisions/testing.md.
 */
export function longTestFiles({ isCi }) {
  const isLongOnly = (file) => file.endsWith('.long.test.ts');
  const isSearch = (file) => file.startsWith('test/adversary/');
  const hasLongForm = (file) =>
    isLongOnly(file) || isSearch(file) || readFileSync(file, 'utf8').includes('STOA_LONG');
  const isPlayed = isCi
    ? (file) => isLongOnly(file) && !REPEATS.includes(file)
    : (file) => file.endsWith('.test.ts') && hasLongForm(file);
  return filesUnder(join(CHECKOUT, 'test'))
    .map((file) => relative(CHECKOUT, file).split(sep).join('/'))
    .filter(isPlayed);
}

/** Counts that the reporter left in a run's folder; all zero when it left none. */
export function readSummary(folder) {
  const file = join(folder, 'summary.json');
  return existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, failed: 0, skipped: [], unsteady: [], failures: [] };
}
