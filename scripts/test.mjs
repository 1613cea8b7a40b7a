// `npm test` and `npm run test:long`: sets up what it may, says what it could not run and why, runs
// everything else. Ends with `N passed, N failed`, where N counts tests and checks together.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, installFault } from './lib/checkout.mjs';
import { CHECKS, runSteps, tool } from './lib/checks.mjs';
import { fetchKeyValueServer } from './lib/key-value-server.mjs';
import { missingNeeds } from './lib/needs.mjs';
import { runStep } from './lib/run-step.mjs';
import { setUp } from './lib/setup.mjs';
import { longTestFiles, readSummary } from './lib/test-run.mjs';

const isLong = process.argv.includes('--long');
const isCi = process.env.CI === 'true';
const OUT = join(CHECKOUT, '.cache', isLong ? 'test-long' : 'test');
const RUN = join(OUT, 'run');
const MINUTE_MS = 60_000;
const FAILURE_CHARS_MAX = 600;
/** Guards against a hang; what is aimed at is 10 and 60 minutes for everything. */
const TESTS_LIMIT_MS = (isLong ? 74 : 20) * MINUTE_MS;
const total = { passed: 0, failed: 0 };

const node = (...args) => [process.execPath, ...args];
const ALL_CHECKS = [
  ...CHECKS,
  ['contracts', node('scripts/contracts.mjs', '--check')],
  ['documents', node('scripts/docs.mjs', '--check')],
];

say(`Node ${process.versions.node}, ${process.platform} ${process.arch}, logs in ${OUT}`);
const fault = await setUp();
if (fault !== undefined) count(false, 'setup', fault);
// A source that does not compile is one failure; the rest is still worth knowing.
if (installFault() === undefined) await runAll();
say(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function runAll() {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(RUN, { recursive: true });
  await fetchKeyValueServer(say);
  for (const need of missingNeeds()) cannotRun(need);
  if (!isLong) {
    await runSteps(ALL_CHECKS, OUT, tell);
  }
  await runTests();
  const gate = node('scripts/requirements-gate.mjs', '--run', RUN, ...(isLong ? ['--long'] : []));
  await runSteps([['requirements', gate]], OUT, tell);
}

function tell(name, { isOk, seconds, tail }) {
  count(isOk, name, `${seconds} s`, tail);
}

async function runTests() {
  const files = isLong ? longTestFiles({ isCi }) : [];
  if (isLong && files.length === 0) {
    say('  --  tests         no long tests');
    return;
  }
  const command = tool('vitest/vitest.mjs', 'run', ...files);
  const env = { STOA_RUN_DIR: RUN };
  // CI, whose time is bounded, plays fewer rounds of each.
  if (isLong) env.STOA_LONG = isCi ? '1' : 'all';
  const step = await runStep({ name: 'tests', command, env, out: OUT, limitMs: TESTS_LIMIT_MS });
  const summary = readSummary(RUN);
  total.passed += summary.passed;
  total.failed += summary.failed;
  const isOk = step.isOk && summary.failed === 0;
  // A run that broke without a failed test is one failure of its own.
  if (!isOk && summary.failed === 0) total.failed += 1;
  const words = `${summary.passed} passed, ${summary.failed} failed, ${step.seconds} s`;
  // Named failures say enough; the log has the rest.
  const named = summary.failures.length > 0;
  show(isOk, 'tests', words, named ? summary.failures.map(short).join('\n') : step.tail);
  for (const words of summary.unsteady) say(`  ~~  passed at the second try: ${short(words)}`);
  for (const name of summary.skipped) cannotRun({ name, why: 'the test was skipped' });
}

// On a person's machine a missing part is said; in CI nothing may be missing.
function cannotRun({ name, why, cure, isOptional = false }) {
  say(`  !!  not run: ${name}: ${why}${cure === undefined ? '' : ` (${cure})`}`);
  if (isCi && !isOptional) total.failed += 1;
}

function count(isOk, name, words, tail) {
  if (isOk) total.passed += 1;
  else total.failed += 1;
  show(isOk, name, words, tail);
}

function show(isOk, name, words, tail = '') {
  say(`  ${isOk ? 'ok' : '**'}  ${name.padEnd(13)} ${words}`);
  if (!isOk && tail !== '') say(tail.replace(/^/gm, '      | '));
}

// Words of a failure that hold generated input can be long.
function short(words) {
  return words.length > FAILURE_CHARS_MAX ? `${words.slice(0, FAILURE_CHARS_MAX)}…` : words;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
