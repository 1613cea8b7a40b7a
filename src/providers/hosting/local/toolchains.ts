import { promisify } from 'node:util';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { FeatureAvailability } from '../../../domain/hosting/hosting.ts';
import { RUNTIMES, type Runtime } from '../../../domain/hosting/value-sets.ts';
import { execFile } from '../../../system/child.ts';
import { findProgram } from '../../sandbox/find-program.ts';
import { detectBuilder } from './images/builder.ts';
import type { Sandbox } from './sandbox.ts';

const run = promisify(execFile);
const VERSION_MS = 10 * SECOND_MS;

type Programs = readonly [readonly [string, string], ...(readonly [string, string])[]];

/** Programs of each runtime, and the arguments that print their versions. */
const PROGRAMS: Readonly<Record<Exclude<Runtime, 'docker'>, Programs>> = {
  node: [
    ['node', '--version'],
    ['npm', '--version'],
  ],
  python: [['python3', '--version']],
  go: [['go', 'version']],
  rust: [['cargo', '--version']],
  ruby: [['ruby', '--version']],
  elixir: [['elixir', '--version']],
};

/** Returns which runtimes have their programs in the tenants' search path. */
export async function detectRuntimes(
  sandbox: Sandbox,
): Promise<Readonly<Record<Runtime, FeatureAvailability>>> {
  const found = await Promise.all(
    RUNTIMES.map(async (runtime) => [runtime, await detectRuntime(runtime, sandbox)] as const),
  );
  return Object.fromEntries(found) as Readonly<Record<Runtime, FeatureAvailability>>;
}

/** Returns the program that a runtime lacks here; `undefined` if it has all. */
export function findMissingProgram(runtime: Runtime, sandbox: Sandbox): string | undefined {
  if (runtime === 'docker') {
    const builder = detectBuilder(sandbox);
    return builder.able ? undefined : builder.why;
  }
  return PROGRAMS[runtime].map(([name]) => name).find((name) => !findProgram(name, sandbox));
}

async function detectRuntime(runtime: Runtime, sandbox: Sandbox): Promise<FeatureAvailability> {
  if (runtime === 'docker') {
    const builder = detectBuilder(sandbox);
    return builder.able ? readVersion(builder.file, '--version') : builder;
  }
  const missing = findMissingProgram(runtime, sandbox);
  if (missing !== undefined) {
    return { able: false, why: `${missing} was not found in ${sandbox.path}` };
  }
  const [[name, flag]] = PROGRAMS[runtime];
  return readVersion(findProgram(name, sandbox) ?? name, flag);
}

async function readVersion(file: string, flag: string): Promise<FeatureAvailability> {
  try {
    const { stdout } = await run(file, [flag], { timeout: VERSION_MS });
    return { able: true, version: stdout.trim().split('\n').at(-1) ?? '' };
  } catch {
    return { able: false, why: `${file} ${flag} failed` };
  }
}
