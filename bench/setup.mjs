// Installs every peer's pinned packages. `node bench/setup.mjs [--force]`
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { say } from './lib/output.mjs';

const INSTALL_MS_MAX = 300_000;
const peers = fileURLToPath(new URL('./peers/', import.meta.url));
const isForced = process.argv.includes('--force');

let failed = 0;
for (const name of readdirSync(peers)) {
  const cwd = `${peers}${name}`;
  if (!isForced && existsSync(`${cwd}/node_modules`)) {
    say(`${name}: installed`);
    continue;
  }
  say(`${name}: npm install`);
  const { status } = spawnSync('npm', ['install', '--no-package-lock', '--ignore-scripts'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_MS_MAX,
  });
  if (status !== 0) failed += 1;
}
if (failed > 0) say(`${failed} of the peers could not be installed; their rows will be missing.`);
process.exitCode = failed > 0 ? 1 : 0;
