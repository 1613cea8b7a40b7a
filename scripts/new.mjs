// `npm run new <what> <name>`: writes a new thing from a template, adds it to its list, and says
// what is left to do. `npm run new` alone lists what there is, with an example each.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './lib/checkout.mjs';
import { KINDS, planNew } from './lib/new/kinds.mjs';
import { NewError } from './lib/new/names.mjs';

const [what, name, ...more] = process.argv.slice(2);
if (what === undefined) say(usage());
else run();

function run() {
  try {
    if (name === undefined || more.length > 0) {
      throw new NewError('USAGE', `\`npm run new ${what}\` takes one name.\n${usage()}`);
    }
    const plan = planNew(CHECKOUT, what, name);
    plan.save();
    format(plan.paths);
    for (const path of plan.paths) say(`wrote ${path}`);
    for (const line of plan.left) say(`left: ${line}`);
  } catch (thrown) {
    if (!(thrown instanceof NewError)) throw thrown;
    process.stderr.write(`new: ${thrown.code}: ${thrown.message}\n`);
    process.exitCode = 2;
  }
}

/** Lays the files out as the house does; without the formatter they stay as they are. */
function format(paths) {
  const program = join(CHECKOUT, 'node_modules/@biomejs/biome/bin/biome');
  if (!existsSync(program)) return;
  const written = paths.filter((path) => /\.(ts|tsx|json)$/.test(path));
  spawnSync(process.execPath, [program, 'check', '--write', ...written], { cwd: CHECKOUT });
}

function usage() {
  const width = Math.max(...KINDS.map((kind) => kind.what.length));
  const rows = KINDS.map((kind) => {
    return `  npm run new ${kind.what.padEnd(width)} ${kind.example.padEnd(42)} ${kind.about}`;
  });
  return `npm run new <what> <name>\n${rows.join('\n')}`;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
