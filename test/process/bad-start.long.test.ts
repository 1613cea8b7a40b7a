import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { startStoa } from '../../src/main.ts';
import { createToken } from '../../src/process/hosting/hosting-tokens.ts';
import { findDamage } from '../../src/process/inspect/inspect-directory.ts';
import { rejectUnsetClock, toStartupError } from '../../src/process/server/startup-error.ts';
import type { Stoa } from '../../src/process/server/stoa.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { DAMAGES, hashTree } from '../support/disk/damage.ts';
import { payingClient } from '../support/paying-client.ts';
import type { RealServer } from '../support/real-server.ts';
import { seeded } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { refusalOf } from '../support/tool-answers.ts';

const LIMIT_MS = 120_000;
const STORES = ['actors', 'blobs', 'mcp', 'proofs', 'trust'].map((name) => `store/${name}`);
const SECRETS = ['token', 'capability-key', 'proof-hmac.json', 'proof-log.json', 'chain/keys.json'];
const FILES = ['directory.json', 'tokens.jsonl', 'own-chain.json', 'chain/local.json'];
const LINES = ['chain/raw.jsonl', 'chain/gas.jsonl'];
const ALL = [...STORES.map((path) => `${path}/data.mdb`), ...SECRETS, ...FILES, ...LINES];
/** Made anew, or of no use to what was promised. */
const MAY_GO = ['token', 'tokens.jsonl', 'proof-log.json', 'directory.json'];
/** Of these, fewer lines or another digit may still be a whole file. */
const MAY_DIFFER = [
  'directory.json',
  'token',
  'tokens.jsonl',
  'own-chain.json',
  'chain/local.json',
];
const SEED = Number(process.env['STOA_SEED'] ?? 1 + Math.floor(Math.random() * 1e6));

let dir: ReturnType<typeof tempDir>;
let copies = 0;

const worked = () => join(dir.path, 'worked');
const copy = () => {
  copies += 1;
  const place = join(dir.path, `copy-${copies}`);
  cpSync(worked(), place, { recursive: true, preserveTimestamps: true });
  return place;
};
const start = (dataDir: string): Promise<Stoa> =>
  startStoa(parseConfig(['--port', '0', '--data', dataDir], {}), () => undefined);

beforeAll(async () => {
  dir = tempDir();
  const stoa = await start(worked());
  const client = await payingClient({ ready: stoa.ready } as RealServer);
  await client.close();
  createToken(worked(), { name: 'one', isReadOnly: true });
  await stoa.close();
}, LIMIT_MS);
afterAll(() => dir.remove());

test('whatever is damaged after an orderly end is named, and a start changes nothing', {
  timeout: LIMIT_MS,
}, async () => {
  expect(findDamage(worked())).toEqual([]);
  const random = seeded(SEED);
  for (const file of ALL) {
    for (const [damage, apply] of Object.entries(DAMAGES)) {
      const place = copy();
      apply(join(place, file), random);
      const hint = `${file} ${damage}, seed ${SEED}`;
      const named = findDamage(place).map(({ data }) => data['file']);
      const isWhole =
        (damage === 'deleted' && MAY_GO.includes(file)) ||
        (MAY_DIFFER.includes(file) && /bit|short/.test(damage)) ||
        (file.endsWith('jsonl') && /emptied|short|written|zeros|bit/.test(damage)) ||
        (damage === 'with a page of noise' && isOneCutLine(join(place, file)));
      if (!isWhole) expect(named.join(), hint).toContain(file.replace('/data.mdb', ''));
      if (named.length > 0 && random() < 0.15) await expectRefused(place, hint);
      rmSync(place, { recursive: true });
    }
  }
});

/** Noise without a line end is, to a reader of lines, one line that a crash cut off. */
function isOneCutLine(file: string): boolean {
  return file.endsWith('jsonl') && !readFileSync(file).includes('\n');
}

/** The same in words of the error table, and every byte as it was. */
async function expectRefused(place: string, hint: string): Promise<void> {
  const before = hashTree(place);
  const { code, message } = await refusalOf(() => start(place));
  expect(code, hint).toMatch(/^DATA_(DAMAGED|DIR_UNUSABLE)$/);
  expect(message, hint).toMatch(/Restore |It must be|chmod/);
  expect(hashTree(place), hint).toEqual(before);
}

test('after a crash the structure of a store is looked at all the same', {
  timeout: LIMIT_MS,
}, () => {
  for (const store of STORES) {
    for (const damage of ['deleted', 'emptied', 'with a page of noise'] as const) {
      const place = copy();
      forgetMarks(place);
      const file = join(place, store, 'data.mdb');
      // Most pages of a young store are free; its first head is not.
      const apply: (file: string, random: () => number) => void = DAMAGES[damage];
      apply(file, () => 0);
      expect(findDamage(place).map(({ data }) => data['file'])).toEqual([`${store}/data.mdb`]);
      rmSync(place, { recursive: true });
    }
  }
});

function forgetMarks(place: string): void {
  const file = join(place, 'directory.json');
  const record = JSON.parse(readFileSync(file, 'utf8'));
  for (const store of STORES) record.contents[store] = '';
  writeFileSync(file, JSON.stringify(record));
}

test('a secret that others may read is refused', () => {
  for (const file of SECRETS) {
    const place = copy();
    chmodSync(join(place, file), 0o644);
    expect(findDamage(place)).toMatchObject([{ code: 'DATA_DIR_UNUSABLE', data: { file } }]);
  }
});

test('a start without the saved state of the chain goes on, and its books balance', {
  timeout: LIMIT_MS,
}, async () => {
  const place = copy();
  rmSync(join(place, 'chain', 'state.gz'));
  writeFileSync(join(place, 'chain', 'raw.jsonl'), '{"hash":"0x', { flag: 'a' });
  const stoa = await start(place);
  try {
    await expectBooksBalanced({ ready: stoa.ready });
  } finally {
    await stoa.close();
  }
  expect(findDamage(place)).toEqual([]);
});

test.each([
  ['ENOSPC', 'STORE_FULL'],
  ['EDQUOT', 'STORE_FULL'],
  ['EROFS', 'DATA_DIR_UNUSABLE'],
  ['EACCES', 'DATA_DIR_UNUSABLE'],
  ['ENOTDIR', 'DATA_DIR_UNUSABLE'],
  ['EMFILE', 'CONFIG_INVALID'],
])('%s of a file is %s, with a cure', (code, expected) => {
  const fault = Object.assign(new Error(code), { code, path: '/data/store/x' });
  const wrapped = new Error('something failed', { cause: fault });
  expect(toStartupError(wrapped, '/data')).toMatchObject({ code: expected });
  const elsewhere = Object.assign(new Error('ENOENT'), { code: 'ENOENT', path: '/etc/x' });
  expect(toStartupError(elsewhere, '/data')).toBe(elsewhere);
});

test('a file in place of the data directory is named', async () => {
  const place = join(dir.path, 'file');
  writeFileSync(place, '');
  expect((await refusalOf(() => start(place))).code).toBe('DATA_DIR_UNUSABLE');
});

test('a clock before 2020 is refused', async () => {
  expect((await refusalOf(async () => rejectUnsetClock(0))).code).toBe('CONFIG_INVALID');
});

test('a store that was created and never used does not stop a start', {
  timeout: LIMIT_MS,
}, async () => {
  const place = join(dir.path, 'unused');
  for (const store of STORES) {
    mkdirSync(join(place, store), { recursive: true, mode: 0o700 });
    writeFileSync(join(place, store, 'data.mdb'), '');
  }
  const stoa = await start(place);
  await stoa.close();
  expect(findDamage(place)).toEqual([]);
});
