import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { KINDS, PLACES_MAX } from './new-things.ts';

const HOUR_MS = 3_600_000;
/** What a scratch copy leaves out: it is not changed, or belongs to this checkout alone. */
const LEFT_OUT = /^(node_modules|\.git|\.cache|dist|docs\/screenshots)(\/|$)/;
/** Where something new may be written. */
const WATCHED = ['src', 'web', 'test', 'docs', 'scripts'];
/** Pages that `scripts/docs.mjs` writes. */
const GENERATED = /^docs\//;
/** Checks that read the lists which new things join. */
const CHECKS = [
  ...['test/tidy.test.ts', 'test/pins', 'test/domain/framework'],
  ...['test/actors/inspect/redaction.test.ts', 'test/web/panel-kinds.test.ts'],
  ...['test/tools/service', 'test/tools/fault-tables.test.ts'],
  ...['test/tools/hosting/parameters.test.ts', 'test/tools/hosting/bad-input.test.ts'],
  ...['test/specification/controls.test.ts', 'test/actors/control/controls.test.ts'],
  ...['test/transport/routes/controls.test.ts', 'test/transport/routes/proof-routes.test.ts'],
  ...['test/providers/data/check-upstreams.test.ts', 'test/process/statement-kinds.test.ts'],
];

const dir = tempDir();
const root = join(dir.path, 'checkout');
const written = new Map<string, readonly string[]>();

function runIn(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    maxBuffer: 64_000_000,
  });
  return { code: status, output: `${stdout}${stderr}` };
}

function runTests(...files: readonly string[]) {
  return runIn('node_modules/vitest/vitest.mjs', 'run', '--reporter=verbose', ...files);
}

/** The hash of every file where something new may be written. */
function hashFiles(): ReadonlyMap<string, string> {
  const files = WATCHED.flatMap((folder) => {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    const paths = names.map((name) => join(folder, name));
    return paths.filter((path) => statSync(join(root, path)).isFile());
  });
  return new Map(
    files.map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex'),
    ]),
  );
}

beforeAll(() => {
  const from = process.cwd();
  cpSync(from, root, {
    recursive: true,
    filter: (path) => !LEFT_OUT.test(relative(from, path)),
  });
  symlinkSync(join(from, 'node_modules'), join(root, 'node_modules'));
  let before = hashFiles();
  for (const { what, example } of KINDS) {
    expect(runIn('scripts/new.mjs', what, example), what).toMatchObject({ code: 0 });
    const after = hashFiles();
    const changed = [...after].filter(([path, hash]) => before.get(path) !== hash);
    written.set(
      what,
      changed.map(([path]) => path),
    );
    before = after;
  }
}, HOUR_MS);

afterAll(() => dir.remove());

test.each(KINDS)('a new $what is written in at most three places, beside its test', ({ what }) => {
  const paths = written.get(what) ?? [];
  const own = paths.filter((path) => /^test\/.*\.test\.ts$/.test(path) && !existsSync(path));
  expect(paths.length - own.length).toBeGreaterThan(0);
  expect(paths.length - own.length).toBeLessThanOrEqual(PLACES_MAX);
  expect(own.length).toBeLessThanOrEqual(1);
});

test('all of them together compile', { timeout: HOUR_MS }, () => {
  for (const project of ['tsconfig.json', 'web/tsconfig.json']) {
    const checked = runIn('node_modules/typescript-7/bin/tsc', '-p', project);
    expect(checked, project).toEqual({ code: 0, output: '' });
  }
});

test('all of them together keep the style and the lint', { timeout: HOUR_MS }, () => {
  const files = [...written.values()].flat().filter((path) => /\.(tsx?|json)$/.test(path));
  expect(runIn('node_modules/@biomejs/biome/bin/biome', 'check', ...files)).toMatchObject({
    code: 0,
  });
  const sources = files.filter((path) => /\.tsx?$/.test(path));
  const flags = ['--type-aware', '--deny-warnings'];
  expect(runIn('node_modules/oxlint/bin/oxlint', ...flags, ...sources)).toMatchObject({ code: 0 });
});

test('the documents follow, and nothing else does', { timeout: HOUR_MS }, () => {
  const before = hashFiles();
  expect(runIn('scripts/docs.mjs', '--source')).toMatchObject({ code: 0 });
  const changed = [...hashFiles()].filter(([path, hash]) => before.get(path) !== hash);
  expect(changed.map(([path]) => path).filter((path) => !GENERATED.test(path))).toEqual([]);
  expect(changed.map(([path]) => path).sort()).toEqual([
    'docs/controls.md',
    'docs/errors.md',
    'docs/machines/alert.md',
    'docs/machines/alert.svg',
    'docs/machines/jury.md',
    'docs/machines/jury.svg',
    'docs/proofs.md',
    'docs/retention.md',
    'docs/tools.md',
  ]);
  expect(runIn('scripts/docs.mjs', '--source', '--check')).toMatchObject({ code: 0, output: '' });
});

test('the checks of their lists are green', { timeout: HOUR_MS }, () => {
  const { code, output } = runTests(...CHECKS);
  expect(code, output.slice(-8_000)).toBe(0);
});

test('a state without a way in or out is named', { timeout: HOUR_MS }, () => {
  const { code, output } = runTests('test/machines/common/registry.test.ts');
  expect(code).toBe(1);
  expect(output).toContain('alert.active.trigger.muted');
});

test('a key family that nothing opens is named by its trimmer', { timeout: HOUR_MS }, () => {
  const { code, output } = runTests('test/store/retention.test.ts');
  expect(code).toBe(1);
  expect(output).toContain('refund-notes.ts');
  expect(output).toMatch(/Tests +1 failed \|/);
});

test('each test of their own fails and asks for the behaviour', { timeout: HOUR_MS }, () => {
  const own = [...written.values()]
    .flat()
    .filter((path) => path.endsWith('.test.ts') && !existsSync(path));
  expect(own.length).toBeGreaterThan(KINDS.length / 2);
  const { code, output } = runTests(...own);
  expect(code).toBe(1);
  expect(output.match(/AssertionError: describe the behaviour of/g)).toHaveLength(own.length);
});
