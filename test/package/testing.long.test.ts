import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Project } from './packed.ts';
import { CHECKOUT, packedProject } from './packed.ts';

const FOLDER = 'examples/testing';
const FILES = ['order.mts', 'check.mts', 'shop.mts', 'clients.mts'];
const LANES = [
  'seats, actor-1: no order of these operations explains the answers',
  '  client-3   client-1',
  '             BUY',
  '  BUY        │',
  '  → "sold"   │',
  '             → "sold"',
  '  after BUY: client-1 BUY: answer expected "sold out", seen "sold"',
  '  again: STOA_PATHS_SEED=1',
];
const REPORT = [
  'order, path random-7-17: after step 4 of 4 the system state differs from the model',
  '  0 start                           → paying',
  '  1 pay is done: {"receipt":"r-1"}  → delivering',
  '  2 deliver fails: Error            → refunding',
  '  3 refund fails: Error             → refund_due',
  '  4 after 3600000 ms (retryAfter)   → refunding',
  '  effects: expected ["refund"], seen []',
  '  again: STOA_PATHS_SEED=7',
];
let project: Project;

beforeAll(async () => {
  project = await packedProject();
  for (const name of FILES) cpSync(join(CHECKOUT, FOLDER, name), join(project.path, name));
  // The kit is for those who have a machine: no store on disk is needed for it.
  renameSync(join(project.path, 'node_modules/lmdb'), join(project.path, 'lmdb-elsewhere'));
}, 180_000);
afterAll(() => project.remove());

test('the example compiles strictly and finds the fault', { timeout: 120_000 }, async () => {
  expect(readdirSync(join(CHECKOUT, FOLDER)).sort()).toEqual([...FILES].sort());
  await project.compile(...FILES);
  expect((await project.run('check.mjs')).split('\n')).toEqual([
    '6 paths cover 10 of 10 transitions',
    '23 runs with 85 faults agree with the model',
    'order 1, every transition, every fault: 23 paths',
    '  states       100 % (8 of 8)',
    '  transitions  100 % (10 of 10)',
    '41 of 41 broken copies are caught',
    ...REPORT,
    '',
  ]);
});

test('clients at once are explained on the engine, and not at the faulty office', async () => {
  const [engine = '', ...lanes] = (await project.run('clients.mjs')).split('\n');
  expect(engine).toMatch(/^the engine is linearizable in 50 runs with \d+ faults$/);
  expect(lanes).toEqual([...LANES, '']);
});

test('the test that it writes fails in the same way, until the shop is mended', async () => {
  expect(existsSync(join(project.path, 'shop.test.mjs'))).toBe(true);
  const red = await project
    .run('shop.test.mjs')
    .catch((thrown: { stdout: string }) => thrown.stdout);
  // A saved path needs no seed.
  for (const line of REPORT.slice(0, -1)) expect(red).toContain(line.trim());
  expect(red).toMatch(/^# fail 1$/m);

  const shop = join(project.path, 'shop.mjs');
  const mended = readFileSync(shop, 'utf8').replace(
    "'refund_due')\n            this.enter('refunding')",
    "'refund_due')\n            this.enter('refunding', 'refund')",
  );
  expect(mended).not.toBe(readFileSync(shop, 'utf8'));
  writeFileSync(shop, mended);
  expect(await project.run('shop.test.mjs')).toMatch(/^# pass 1$/m);
});

test('the blocks of the guide are the regions of the example', () => {
  const sources = FILES.map((name) => readFileSync(join(CHECKOUT, FOLDER, name), 'utf8'));
  const guide = readFileSync(join(CHECKOUT, 'docs/testing.md'), 'utf8');
  const regions = sources.flatMap((source) => [
    ...source.matchAll(/^ *\/\/ \[guide \w+\n([\s\S]*?)^ *\/\/ guide\]$/gm),
  ]);
  const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  expect(new Set(blocks)).toEqual(new Set(regions.map(([, region]) => region)));
  expect(blocks).toHaveLength(9);
  expect(guide).toContain(LANES.join('\n'));
  expect(guide).toContain(REPORT.join('\n'));
});
