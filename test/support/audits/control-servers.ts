import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Well-kept public servers that audits are held against, in the version that was looked through.
 */
export const CONTROL_VERSION = '2026.8.31';
const NAMES = ['everything', 'filesystem', 'memory'] as const;
const FOLDER = fileURLToPath(
  new URL(`../../../.cache/audit-controls/${CONTROL_VERSION}`, import.meta.url),
);
const INSTALL_MS = 300_000;

/** One of them. */
export type ControlName = (typeof NAMES)[number];

/**
 * Fetches the servers once, into the cache of the tests, without running any script of theirs.
 *
 * @returns Why they are not there; `undefined` when they are. With `CI=true` it throws instead.
 */
export function fetchControls(): string | undefined {
  if (NAMES.every((name) => existsSync(programOf(name)))) return undefined;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"private":true}');
  const packages = NAMES.map((name) => `@modelcontextprotocol/server-${name}@${CONTROL_VERSION}`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', FOLDER];
  try {
    execFileSync('npm', ['install', ...flags, ...packages], {
      stdio: 'pipe',
      timeout: INSTALL_MS,
    });
    return undefined;
  } catch (thrown) {
    if (process.env['CI'] === 'true') throw thrown;
    return `the registry gave no ${packages.join(', ')}`;
  }
}

/** How a control server is started, in surroundings of its own that `remove` takes away. */
export function controlServer(name: ControlName) {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-control-'));
  writeFileSync(join(folder, 'notes.txt'), 'A note.\n');
  const shelf = name === 'filesystem' ? [folder] : [];
  // The memory server keeps its file beside its program, unless it is told where.
  const own = [programOf(name), ...(name === 'everything' ? ['stdio'] : shelf)];
  const memory = join(folder, 'memory.jsonl');
  const args =
    name === 'memory'
      ? [
          '--input-type=module',
          '--eval',
          `process.env.MEMORY_FILE_PATH=${JSON.stringify(memory)};` +
            `await import(${JSON.stringify(programOf(name))})`,
        ]
      : own;
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { program: { name, command: process.execPath, args, isTrusted: true }, remove };
}

function programOf(name: ControlName): string {
  return join(FOLDER, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist/index.js');
}
