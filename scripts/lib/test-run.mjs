// What a test run is made of and what it came to.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { CHECKOUT, filesUnder } from './checkout.mjs';

/**
 * Test files that have a long form: `*.long.test.ts`, those that read STOA_LONG, and the searches
 * of attackers. CI, whose time is bounded, has searched in its short run.
 */
export function longTestFiles({ isCi }) {
  const isSearch = (file) => file.includes(`${sep}adversary${sep}`);
  const isTest = (file) => file.endsWith('.test.ts');
  const isLong = (file) =>
    isSearch(file)
      ? !isCi
      : file.endsWith('.long.test.ts') || readFileSync(file, 'utf8').includes('STOA_LONG');
  return filesUnder(join(CHECKOUT, 'test'))
    .filter((file) => isTest(file) && isLong(file))
    .map((file) => relative(CHECKOUT, file).split(sep).join('/'));
}

/** Counts that the reporter left in a run's folder; all zero when it left none. */
export function readSummary(folder) {
  const file = join(folder, 'summary.json');
  return existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, failed: 0, skipped: [], unsteady: [], failures: [] };
}
