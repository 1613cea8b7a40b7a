import { once } from 'node:events';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, sandbox, start } from './sandbox.ts';

// A compiler that "builds" by copying, so that the sandbox needs no packages.
const COMPILER = `
const fs = require('node:fs');
fs.mkdirSync('dist', { recursive: true });
fs.copyFileSync('src/cli.js', 'dist/cli.js');
`;
const PRINT_ARGUMENTS = `
process.stdout.write(JSON.stringify(process.argv.slice(2)) + '\\n');
process.exitCode = 7;
`;
const WAIT_FOR_TERM = `
process.on('SIGTERM', () => process.exit(42));
process.stdout.write('ready\\n');
setInterval(() => {}, 1000);
`;

function checkout(cli: string, more: Readonly<Record<string, string>> = {}): string {
  return sandbox({
    'package-lock.json': '{"packages":{}}',
    'tsconfig.build.json': '{}',
    'scripts/bundle.mjs': '',
    'src/cli.js': cli,
    'node_modules/typescript-7/bin/tsc': COMPILER,
    'node_modules/.package-lock.json': '{"packages":{}}',
    ...more,
  });
}

test('start builds what is due, serves with the arguments, and gives the exit code back', async () => {
  const folder = checkout(PRINT_ARGUMENTS);
  const first = await ended(start(folder, 'node', 'scripts/start.mjs', '--port', '0'));
  expect(first).toEqual({
    code: 7,
    output: 'Building src into dist …\n["serve","--port","0"]\n',
  });
  const second = await ended(start(folder, 'node', 'scripts/start.mjs'));
  expect(second).toEqual({ code: 7, output: '["serve"]\n' });
});

test('start builds again when a source is newer', async () => {
  const folder = checkout(PRINT_ARGUMENTS);
  await ended(start(folder, 'node', 'scripts/start.mjs'));
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(folder, 'src/cli.js'), later, later);
  const { output } = await ended(start(folder, 'node', 'scripts/start.mjs'));
  expect(output).toContain('Building');
});

test('the console is built with the rest, again when it is newer, and its failure stops the start', async () => {
  const folder = checkout(PRINT_ARGUMENTS, { 'web/page.css': '', 'scripts/web.mjs': '' });
  const begin = () => ended(start(folder, 'node', 'scripts/start.mjs'));
  expect((await begin()).output).toContain('Building web into dist/web …\n["serve"]');
  expect((await begin()).output).not.toContain('Building');
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(folder, 'web/page.css'), later, later);
  writeFileSync(join(folder, 'scripts/web.mjs'), 'process.exitCode = 3;');
  const { code, output } = await begin();
  expect(output).toContain('The build of the console failed');
  expect(code).toBe(1);
});

test('start installs where the locked packages differ, and stops where that fails', async () => {
  const folder = checkout(PRINT_ARGUMENTS);
  const lock = { packages: { 'node_modules/new': { version: '1.0.0' } } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(join(folder, 'package.json'), 'no json');
  const { code, output } = await ended(start(folder, 'node', 'scripts/start.mjs'));
  expect(output).toContain('npm install failed');
  expect(code).toBe(1);
  expect(existsSync(join(folder, 'dist'))).toBe(false);
});

test('a lock file that is no JSON is named, and nothing is deleted', async () => {
  const folder = checkout(PRINT_ARGUMENTS);
  writeFileSync(join(folder, 'package-lock.json'), '<<<<<<< ours');
  const { code, output } = await ended(start(folder, 'node', 'scripts/start.mjs'));
  expect(output).toContain('package-lock.json is missing or is not JSON');
  expect(code).toBe(1);
  expect(existsSync(join(folder, 'node_modules/typescript-7'))).toBe(true);
});

test('packages that cannot be loaded are installed again, once', async () => {
  const folder = checkout(PRINT_ARGUMENTS, { 'scripts/bundle.mjs': 'process.exit(3);' });
  writeFileSync(join(folder, 'package.json'), '{}');
  const { code, output } = await ended(start(folder, 'node', 'scripts/start.mjs'));
  expect(output.match(/npm install\)/g), output).toHaveLength(1);
  // npm has nothing to write down for an empty lock file.
  expect(output).toContain(
    'npm install has ended, but no installation in node_modules was finished',
  );
  expect(code).toBe(1);
});

test('a signal reaches the server, whose exit code comes back', async () => {
  const child = start(checkout(WAIT_FOR_TERM), 'node', 'scripts/start.mjs');
  const end = ended(child);
  await once(child.stdout ?? child, 'data');
  child.kill('SIGTERM');
  expect((await end).code).toBe(42);
});
