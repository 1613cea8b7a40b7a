import { expect, onTestFinished, test } from 'vitest';
import { runSuite, SUITE_MS, scoreOf } from '../support/conformance-suite.ts';
import { ENGINES } from '../support/engines.ts';
import { startFront } from '../support/front-rig.ts';

/** What a revision requires, and the least that a run must have counted: an empty one fails. */
export interface Required {
  readonly revision: '2025-11-25' | '2026-07-28';
  readonly path: string;
  /** Scored scenarios and their checks. */
  readonly scenarios: number;
  readonly passed: number;
  /** All checks: extensions and what came later is not scored, and passes as well. */
  readonly checks: number;
}

/** States over engines that an address meets what a revision requires. */
export function meets({ revision, path, ...least }: Required, engines = ENGINES): void {
  test.for(engines)(
    `what ${revision} requires is met on ${path} over %s`,
    {
      timeout: SUITE_MS + 10_000,
    },
    async (engine) => {
      const rig = await startFront(engine, { conformanceFixtures: true });
      onTestFinished(() => rig.front.close());
      const url = `${rig.baseUrl}${path}`;
      const found = await runSuite('0.2.0-alpha.12', url, '--requirements', revision);
      const score = scoreOf(found);
      expect(score, found.tail).toMatchObject({ code: 0, failed: 0 });
      expect(score.scenarios).toBeGreaterThanOrEqual(least.scenarios);
      expect(score.passed).toBeGreaterThanOrEqual(least.passed);
      expect(found.scenarios.filter(({ failed }) => failed > 0)).toEqual([]);
      const all = found.scenarios.reduce((sum, { passed }) => sum + passed, 0);
      expect(all).toBeGreaterThanOrEqual(least.checks);
    },
  );
}
