import { afterEach, expect, test } from 'vitest';
import { runSuite, SUITE_MS, scoreOf } from '../support/conformance-suite.ts';
import { ENGINES } from '../support/engines.ts';
import { type FrontRig, startFront } from '../support/front-rig.ts';

let rig: FrontRig | undefined;
afterEach(() => rig?.front.close());

// The least that a run must have counted, so that an empty one cannot pass.
const REVISIONS = [
  { revision: '2025-11-25', path: '/v1/mcp', scenarios: 30, passed: 69, checks: 83 },
  { revision: '2026-07-28', path: '/v2/', scenarios: 37, passed: 110, checks: 196 },
] as const;
const RUNS = ENGINES.flatMap((engine) => REVISIONS.map((one) => ({ engine, ...one })));

test.for(RUNS)(
  'what $revision requires is met on $path over $engine',
  {
    timeout: SUITE_MS + 10_000,
  },
  async ({ engine, revision, path, ...least }) => {
    rig = await startFront(engine, { conformanceFixtures: true });
    const url = `${rig.baseUrl}${path}`;
    const found = await runSuite('0.2.0-alpha.12', url, '--requirements', revision);
    const score = scoreOf(found);
    expect(score, found.tail).toMatchObject({ code: 0, failed: 0 });
    expect(score.scenarios).toBeGreaterThanOrEqual(least.scenarios);
    expect(score.passed).toBeGreaterThanOrEqual(least.passed);
    // Extensions and what came later is not scored, and passes as well.
    const all = found.scenarios.reduce((sum, { passed }) => sum + passed, 0);
    expect(found.scenarios.filter(({ failed }) => failed > 0)).toEqual([]);
    expect(all).toBeGreaterThanOrEqual(least.checks);
  },
);
