// `npm run quick`: checks what changed since the last green run: types, style, lint, layers, and
// the nearest tests. `npm run quick -- --watch` runs again after each change.
import { watch } from 'node:fs';
import { join } from 'node:path';
import { changesSince } from './lib/changes.mjs';
import { CHECKOUT } from './lib/checkout.mjs';
import { checkLayers, checkTypes, lint, printStep, runSteps, tool } from './lib/checks.mjs';
import { nearestTests, readDurations } from './lib/nearest-tests.mjs';

const OUT = join(CHECKOUT, '.cache', 'quick');
/** Time for the tests of one run, in seconds over all of them. */
const TESTS_S = 40;
/** How long files must have been left alone before a watched run starts, in milliseconds. */
const SETTLE_MS = 300;

if (process.argv.includes('--watch')) await watchAndRun();
else process.exitCode = (await run()) ? 0 : 1;

/** Runs two steps at a time; those that a change cannot touch are left out. */
async function run() {
  const startedAt = Date.now();
  const { changed, save } = changesSince(join(OUT, 'state.json'));
  if (changed.length === 0) {
    say('nothing changed since the last green run');
    return true;
  }
  const { steps, left } = plan(changed);
  say(`${changed.length} changed, ${steps.map(([name]) => name).join(', ')}`);
  const isOk = await runSteps(steps, OUT, printStep);
  if (isOk) save();
  if (left > 0) say(`${left} more test files reach the change: npm test`);
  say(`${isOk ? 'green' : 'red'} after ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`);
  return isOk;
}

function plan(changed) {
  const code = changed.filter((path) => /\.(tsx?|mjs|cjs|json)$/.test(path));
  const typed = changed.filter((path) => /^(src|test|web)\/.*\.tsx?$/.test(path));
  const isWeb = changed.some((path) =>
    /^(web|test\/(web|console)|src\/(domain|charts))\//.test(path),
  );
  const { picked, left } = nearestTests(changed, { budgetS: TESTS_S, durations: readDurations() });
  const all = [
    ['types', typed.length > 0, checkTypes('tsconfig.json', 'types')],
    [
      'tests',
      picked.length > 0,
      tool('vitest/vitest.mjs', 'run', '--reporter=dot', '--maxWorkers=2', ...picked),
    ],
    ['style', code.length > 0, tool('@biomejs/biome/bin/biome', 'check', ...code)],
    ['lint', typed.length > 0, lint(...typed)],
    ['types-of-web', isWeb, checkTypes('web/tsconfig.json', 'types-of-web')],
    ['layers', changed.some((path) => path.startsWith('src/')), checkLayers()],
  ];
  const steps = all.filter(([, isDue]) => isDue).map(([name, , command]) => [name, command]);
  return { steps, left };
}

/** Runs again whenever files have changed and then been left alone; until it is interrupted. */
async function watchAndRun() {
  let wake = () => undefined;
  let timer;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => wake(), SETTLE_MS);
  };
  for (const folder of ['src', 'web', 'test', 'scripts']) {
    watch(join(CHECKOUT, folder), { recursive: true }, changed);
  }
  for (;;) {
    const woken = new Promise((done) => {
      wake = done;
    });
    await run();
    say('waiting for a change; Ctrl-C ends');
    await woken;
  }
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
