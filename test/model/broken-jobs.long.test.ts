import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jobMachine } from '../../src/machines/escrow/job.ts';
import { mutantsOf } from '../../src/testing/mutants/mutants-of.ts';
import { tryMutants } from '../../src/testing/mutants/try-mutants.ts';
import { frontPaths } from './front-paths.ts';

/** Typed by hand: fewer copies would be a hole that nobody sees. */
const LEAST = 440;

/**
 * Broken copies that these paths do not catch. Most repeat what another state has seen to already;
 * one that begins to be caught has to go from this list.
 */
const GAPS: readonly string[] = JSON.parse(
  readFileSync(new URL('../fixtures/machines/job-gaps.json', import.meta.url), 'utf8'),
);

test('every broken copy of a job is caught on the engine, but for the gaps that are known', {
  timeout: 600_000,
}, async () => {
  const copies = mutantsOf(jobMachine);
  expect(copies.length).toBeGreaterThanOrEqual(LEAST);
  const { paths } = frontPaths('job', { how: 'transitions', ignored: 'all' });
  const { survivors } = await tryMutants(copies, paths);
  expect(survivors.map(({ id }) => id).sort()).toEqual([...GAPS].sort());
});
