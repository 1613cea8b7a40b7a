import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ended, sandbox, start } from './sandbox.ts';

const INCOMPLETE = 3;
const WHOLE = '{"name":"x","version":"1.0.0","main":"index.js"}';

/** Joins a program that imports a package of which only some files are there. */
async function joined(imported: string, files: Readonly<Record<string, string>>) {
  const program = `import * as a from '${imported}';\nexport default a;\n`;
  const folder = sandbox({
    'package.json': '{"type":"module","dependencies":{"lmdb":"1.0.0"}}',
    'dist/cli.js': `${program}export const load = () => import('./main.js');`,
    'dist/index.js': program,
    'dist/main.js': 'export const main = 1;',
    ...files,
  });
  const bundler = join(folder, 'node_modules', 'rolldown');
  mkdirSync(dirname(bundler), { recursive: true });
  symlinkSync(resolve('node_modules', 'rolldown'), bundler, 'junction');
  return ended(start(folder, 'node', 'scripts/bundle.mjs'));
}

test('a build with a package that is missing or half unpacked fails, and names it', async () => {
  // One that is joined, without its program, and one that stays outside and is not there at all.
  const zod = { 'node_modules/zod/package.json': WHOLE };
  for (const [name, files] of [['zod', zod] as const, ['lmdb', {}] as const]) {
    const { code, output } = await joined(name, files);
    expect({ name, code, output }).toMatchObject({ code: INCOMPLETE });
    expect(output).toContain(name);
  }
});

test('a build whose packages are whole is joined', async () => {
  const { code, output } = await joined('lmdb', {
    'node_modules/lmdb/package.json': WHOLE,
    'node_modules/lmdb/index.js': 'module.exports = { a: 1 };',
  });
  expect({ code, output }).toEqual({ code: 0, output: expect.any(String) });
});
