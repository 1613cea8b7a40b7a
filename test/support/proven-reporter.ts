import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Claim } from '../requirements/gate.ts';

/** Where a run leaves its records; `scripts/test.mjs` names a folder of its own. */
const FOLDER = process.env['STOA_RUN_DIR'] ?? `.cache/proven/${process.pid}`;

const MS_PER_SECOND = 1_000;
const NAME_CHARS_MAX = 160;

/** What a run of the tests came to, as `scripts/test.mjs` reads it. */
export interface RunSummary {
  readonly passed: number;
  /** Failed tests, files that could not be loaded, and errors outside any test. */
  readonly failed: number;
  readonly skipped: readonly string[];
  /** Passed at the second try only: each is a fault of the test or of what it tests. */
  readonly unsteady: readonly string[];
  /** What failed, one for each: its name, how long it took, and why. */
  readonly failures: readonly string[];
}

/** Keeps what the tests of a run claim to prove, and how many of them passed. */
export class ProvenReporter implements Reporter {
  onInit(): void {
    mkdirSync(FOLDER, { recursive: true });
  }

  onTestCaseResult(test: TestCase): void {
    const claims = (test.meta().proves ?? []).map((id) => JSON.stringify(claim(id, test)));
    if (claims.length > 0) appendFileSync(join(FOLDER, 'claims.jsonl'), `${claims.join('\n')}\n`);
  }

  /** Written as each file ends, so that a run that is stopped says where its time went. */
  onTestModuleEnd(module: TestModule): void {
    const ms = Math.round(module.diagnostic().duration);
    const line = JSON.stringify({ file: module.relativeModuleId, ms });
    appendFileSync(join(FOLDER, 'files.jsonl'), `${line}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (...states: readonly string[]) =>
      tests.filter((test) => states.includes(test.result().state));
    const broken = modules.filter((module) => module.errors().length > 0);
    const failures = [
      ...inState('failed', 'pending').map(failureOf),
      ...broken.map((module) => `${module.relativeModuleId} could not be run`),
      ...errors.map((error) => `outside any test: ${firstLine(error)}`),
    ];
    const passed = inState('passed').length;
    const skipped = inState('skipped').map(nameOf);
    const unsteady = tests.filter((test) => test.diagnostic()?.flaky === true).map(failureOf);
    const summary: RunSummary = { passed, failed: failures.length, skipped, unsteady, failures };
    writeFileSync(join(FOLDER, 'summary.json'), JSON.stringify(summary));
  }
}

function claim(id: string, test: TestCase): Claim {
  const { state } = test.result();
  return { id, file: test.module.relativeModuleId, test: test.fullName, state };
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

/** A failure that is seen once, on another machine, has only these words to be understood by. */
function failureOf(test: TestCase): string {
  const why = (test.result().errors ?? []).map(firstLine).join('; ');
  const seconds = ((test.diagnostic()?.duration ?? 0) / MS_PER_SECOND).toFixed(1);
  return `${shortened(nameOf(test))} (${seconds} s): ${why}`;
}

/** Names that hold generated input can be long. */
function shortened(name: string): string {
  return name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}…` : name;
}

function firstLine(error: unknown): string {
  const message = error instanceof Object && 'message' in error ? error.message : error;
  return String(message).split('\n')[0] ?? '';
}
