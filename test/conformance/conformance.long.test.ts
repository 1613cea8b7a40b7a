import { afterEach, expect, test } from 'vitest';
import { runSuite, SUITE_MS, scoreOf } from '../support/conformance-suite.ts';
import { ENGINES } from '../support/engines.ts';
import { type FrontRig, startFront } from '../support/front-rig.ts';

let rig: FrontRig | undefined;
afterEach(() => rig?.front.close());

const PLACES = ENGINES.flatMap((engine) =>
  ['/v1/mcp', '/v2/', '/mcp'].map((path) => [engine, path] as const),
);

test.for(PLACES)(
  'the conformance suite finds no fault over %s at %s',
  {
    timeout: SUITE_MS + 10_000,
  },
  async ([engine, path]) => {
    rig = await startFront(engine, { conformanceFixtures: true });
    const found = await runSuite('0.1.16', `${rig.baseUrl}${path}`, '--suite', 'all');
    const score = scoreOf(found);
    expect(score, found.tail).toMatchObject({ code: 0, failed: 0 });
    // An empty run must not pass.
    expect(score.scenarios).toBeGreaterThanOrEqual(30);
    expect(score.passed).toBeGreaterThanOrEqual(44);
  },
);
