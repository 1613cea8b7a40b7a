import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SHIM = fileURLToPath(new URL('./fs-glob-shim.mjs', import.meta.url));
const SUITES = {
  '0.1.16': new URL(
    '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
    import.meta.url,
  ),
  '0.2.0-alpha.12': new URL('../../node_modules/conformance-alpha/dist/index.js', import.meta.url),
} as const;

/** Longest run of a suite that a test waits for, in milliseconds. */
export const SUITE_MS = 120_000;

/** One scenario of a run. */
export interface ScenarioCount {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  /** Counts towards conformance; extensions and what came later do not. */
  readonly isScored: boolean;
}

/** What a run of the conformance suite has found. */
export interface SuiteRun {
  readonly code: number | null;
  readonly scenarios: readonly ScenarioCount[];
  /** The end of what it said, for the message of a failing test. */
  readonly tail: string;
}

/** Runs the server scenarios of a pinned suite against an address. */
export async function runSuite(
  version: keyof typeof SUITES,
  url: string,
  ...options: readonly string[]
): Promise<SuiteRun> {
  const suite = fileURLToPath(SUITES[version]);
  const argv = ['--import', SHIM, suite, 'server', '--url', url, ...options];
  const { code, text } = await run(argv);
  const unscored = new Set([...text.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name = '']) => name));
  const scenarios = [...text.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)].map(
    ([, name = '', passed, failed]) => ({
      name,
      passed: Number(passed),
      failed: Number(failed),
      isScored: !unscored.has(name),
    }),
  );
  return { code, scenarios, tail: text.slice(-4_000) };
}

/** What a test states about a run: its exit code, and counts over the scored scenarios. */
export function scoreOf({ code, scenarios }: SuiteRun) {
  const scored = scenarios.filter(({ isScored }) => isScored);
  const sum = (key: 'passed' | 'failed'): number =>
    scored.reduce((total, scenario) => total + scenario[key], 0);
  return { code, scenarios: scored.length, passed: sum('passed'), failed: sum('failed') };
}

function run(argv: readonly string[]): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, argv, { timeout: SUITE_MS });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    child.on('close', (code) => resolve({ code, text }));
  });
}
