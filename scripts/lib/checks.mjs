// The checks of the source, in the order they start, and how several run at a time.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './run-step.mjs';

/** What checks remember of files that did not change, by content. */
const CACHE = join('.cache', 'check');
/** Checks that run at a time: half of them use one core. */
const LANES = 2;
const LIMIT_MS = 5 * 60_000;
const PROSE = ['*.md', 'docs/*.md', 'docs/decisions/*.md', 'packages/*/README.md'];

/** Every check of the source as `[name, command]`. The two that need most memory are apart. */
export const CHECKS = [
  ['types', checkTypes('tsconfig.json', 'types')],
  ['dead code', tool('knip/bin/knip.js', '--cache', '--cache-location', join(CACHE, 'knip'))],
  ['layers', checkLayers()],
  ['style', tool('@biomejs/biome/bin/biome', 'check', '.')],
  ['prose', tool('textlint/bin/textlint.js', ...PROSE)],
  ['types of web', checkTypes('web/tsconfig.json', 'types-of-web')],
  ['lint', lint('src', 'test', 'web')],
];

/** A command that runs a script of an installed package. */
export function tool(script, ...args) {
  return [process.execPath, join('node_modules', script), ...args];
}

/** The command that checks the types of a project. */
export function checkTypes(project, name) {
  const cache = ['--incremental', '--tsBuildInfoFile', join(CACHE, `${name}.tsbuildinfo`)];
  return tool('typescript-7/bin/tsc', '-p', project, '--noEmit', ...cache);
}

/** The command that lints files or folders. */
export function lint(...paths) {
  return tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...paths);
}

/** The command that checks the imports of `src` against the layers. */
export function checkLayers() {
  const cache = ['--cache', join(CACHE, 'layers'), '--cache-strategy', 'content'];
  const config = ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', ...cache];
  return tool('dependency-cruiser/bin/dependency-cruise.mjs', ...config, 'src');
}

/**
 * Runs `[name, command]` steps, two at a time, each with its log in the folder `out`.
 *
 * @param tell - Called with the name and what {@link runStep} says, as soon as a step has ended.
 * @returns Whether all passed.
 */
export async function runSteps(steps, out, tell) {
  mkdirSync(out, { recursive: true });
  const waiting = [...steps];
  let isOk = true;
  const run = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const [name, command] = step;
      const result = await runStep({ name, command, out, limitMs: LIMIT_MS });
      isOk &&= result.isOk;
      tell(name, result, command);
    }
  };
  await Promise.all(Array.from({ length: LANES }, run));
  return isOk;
}

/** Prints a step that has ended; of one that failed, the last lines and how to repeat it. */
export function printStep(name, { isOk, seconds, tail }, command) {
  say(`  ${isOk ? 'ok' : '**'}  ${name.padEnd(13)} ${seconds} s`);
  if (isOk) return;
  say(tail.replace(/^/gm, '      | '));
  say(`      repeat: node ${command.slice(1).join(' ')}`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
