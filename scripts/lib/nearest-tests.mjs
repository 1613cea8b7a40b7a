// Finds the tests that are nearest to changed files, by the imports between files.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CHECKOUT, filesUnder } from './checkout.mjs';

const IMPORT = /(?:from|import|mock)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;
/** Tests that start servers or search for minutes: `npm test` runs them. */
const SLOW =
  /\.long\.test\.ts$|^test\/(adversary|bench|conformance|console|e2e|fault|model|package|sim)\//;

/**
 * Lists tests that reach a changed file by imports, the nearest first, as many as fit the time.
 *
 * @param durations Seconds by test file, from an earlier run; others count as four seconds.
 * @returns `{picked, left}`: test files to run, and how many more reach the changed files.
 */
export function nearestTests(changed, { budgetS, durations }) {
  const importers = readImporters();
  const found = [];
  const seen = new Set(changed);
  for (let level = changed; level.length > 0; ) {
    found.push(...level.filter((path) => path.endsWith('.test.ts')));
    level = level
      .flatMap((path) => [...(importers.get(path) ?? [])])
      .filter((path) => {
        const isNew = !seen.has(path);
        seen.add(path);
        return isNew;
      });
  }
  const picked = [];
  let spentS = 0;
  for (const path of found) {
    const takesS = durations[path] ?? 4;
    const isChanged = changed.includes(path);
    if (!isChanged && (SLOW.test(path) || spentS + takesS > budgetS)) continue;
    picked.push(path);
    spentS += takesS;
  }
  return { picked, left: found.length - picked.length };
}

/** Maps each file to the files that import it. */
function readImporters() {
  const importers = new Map();
  for (const folder of ['src', 'test', 'web/src']) {
    for (const file of filesUnder(join(CHECKOUT, folder))) {
      if (!/\.(tsx?|mjs)$/.test(file)) continue;
      const path = relative(CHECKOUT, file);
      for (const [, specifier] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
        const target = relative(CHECKOUT, join(dirname(file), specifier));
        if (!importers.has(target)) importers.set(target, new Set());
        importers.get(target).add(path);
      }
    }
  }
  return importers;
}

/** Reads how long each test file took in the last `npm test`, in seconds. */
export function readDurations() {
  const file = join(CHECKOUT, '.cache', 'test', 'run', 'files.jsonl');
  if (!existsSync(file)) return {};
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return Object.fromEntries(rows.map(({ file: path, ms }) => [path, ms / 1_000]));
}
