import { afterEach, expect, test } from 'vitest';
import { runSuite, SUITE_MS, scoreOf } from '../support/conformance-suite.ts';
import { ENGINES } from '../support/engines.ts';
import { type FrontRig, startFront } from '../support/front-rig.ts';

let rig: FrontRig | undefined;
afterEach(() => rig?.front.close());

const VERSIONS = [
  { version: '2025-06-18', path: '/v1/mcp', passed: 56 },
  { version: '2025-03-26', path: '/v1/mcp', passed: 3 },
  { version: '2025-06-18', path: '/v2/', passed: 56 },
] as const;
const RUNS = ENGINES.flatMap((engine) => VERSIONS.map((one) => ({ engine, ...one })));

test.for(RUNS)(
  'every scenario of $version passes on $path over $engine',
  {
    timeout: SUITE_MS + 10_000,
  },
  async ({ engine, version, path, passed }) => {
    rig = await startFront(engine, { conformanceFixtures: true });
    const options = ['--suite', 'all', '--spec-version', version];
    const found = await runSuite('0.2.0-alpha.12', `${rig.baseUrl}${path}`, ...options);
    const score = scoreOf(found);
    expect(score, found.tail).toMatchObject({ code: 0, failed: 0 });
    expect(score.passed).toBeGreaterThanOrEqual(passed);
  },
);
