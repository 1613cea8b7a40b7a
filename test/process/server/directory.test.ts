import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockTreasury } from '../../../src/process/chain/treasury.ts';
import { openProofKeys } from '../../../src/process/proof/proof-keys.ts';
import { openProofs, rejectForeignKey } from '../../../src/process/proof/proofs.ts';
import { lockDataDir } from '../../../src/process/server/data-lock.ts';
import { openDirectory } from '../../../src/process/server/directory.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { refusalOf } from '../../support/tool-answers.ts';

let dir: ReturnType<typeof tempDir>;
let notices: string[];

beforeEach(() => {
  dir = tempDir();
  notices = [];
});
afterEach(() => dir.remove());

const at = (name: string) => join(dir.path, name);
const open = (name: string, accepted?: 'moved' | 'restored', hasOwnChain = false) =>
  openDirectory({
    dataDir: at(name),
    hasOwnChain,
    notice: (line) => void notices.push(line),
    ...(accepted === undefined ? {} : { accepted }),
  });

async function copied() {
  mkdirSync(at('a'));
  const { verifierKey } = openProofKeys(at('a'), undefined);
  for (const folder of ['chain', 'hosting/router']) mkdirSync(join(at('a'), folder), RECURSIVE);
  writeFileSync(join(at('a'), 'chain/local.json'), '{"port":8545,"token":"0x1"}');
  for (const file of PLACES) writeFileSync(join(at('a'), file), '4000');
  await open('a');
  cpSync(at('a'), at('b'), { ...RECURSIVE, preserveTimestamps: true });
  return verifierKey;
}

const RECURSIVE = { recursive: true } as const;
const PLACES = ['ready.json', 'chain/anvil.json', 'hosting/router/port'];

test('a directory stays itself over starts and new names', async () => {
  await copied();
  await open('a');
  renameSync(at('a'), at('c'));
  await open('c');
  await open('c', 'restored');
  expect(notices).toEqual([]);
  expect(existsSync(join(at('c'), 'proof-log.json'))).toBe(true);
});

test('on a chain of others a copy is refused, and what it may do is said', async () => {
  await copied();
  const before = readFileSync(join(at('b'), 'directory.json'), 'utf8');
  const refusal = await refusalOf(() => open('b'));
  expect(refusal).toMatchObject({ code: 'DATA_DIR_COPIED', data: { received: at('a') } });
  for (const flag of ['--accept-moved', '--accept-restored']) {
    expect(refusal.message).toContain(flag);
  }
  expect(readFileSync(join(at('b'), 'directory.json'), 'utf8')).toBe(before);
});

test('one that was moved keeps its log, unless the original runs', async () => {
  const verifierKey = await copied();
  const original = await lockDataDir(at('a'));
  expect(await refusalOf(() => open('b', 'moved'))).toMatchObject({
    code: 'DATA_DIR_COPIED',
    message: expect.stringContaining('which is running'),
  });
  await original.release();
  await open('b', 'moved');
  await open('b');
  expect(openProofKeys(at('b'), undefined).verifierKey).toBe(verifierKey);
});

test.each([
  ['accepted as restored', 'restored', false],
  ['on an embedded chain', undefined, true],
] as const)('a copy %s leaves ports and the name of the log to the original', async (...row) => {
  const [, accepted, hasOwnChain] = row;
  const verifierKey = await copied();
  const original = await lockDataDir(at('a'));
  await open('b', accepted, hasOwnChain);
  expect(notices).toEqual([expect.stringContaining(`is a copy of ${at('a')}, which is running`)]);
  for (const file of PLACES) expect(existsSync(join(at('b'), file))).toBe(false);
  const local = JSON.parse(readFileSync(join(at('b'), 'chain/local.json'), 'utf8'));
  expect(local).toEqual({ port: 0, token: '0x1' });
  const keys = openProofKeys(at('b'), 'https://stoa.example');
  expect(keys.retired).toEqual([verifierKey]);
  expect(keys.signer.origin).toMatch(/^stoa\.example\/stoa\/[0-9a-f]{16}$/);
  expect(openProofKeys(at('a'), undefined).verifierKey).toBe(verifierKey);
  await open('b');
  expect(notices).toHaveLength(1);
  await original.release();
});

test('an older directory that is put back in its place is a copy', async () => {
  await copied();
  await open('a');
  cpSync(join(at('b'), 'directory.json'), join(at('a'), 'directory.json'));
  expect((await refusalOf(() => open('a'))).code).toBe('DATA_DIR_COPIED');
});

test('a damaged record is refused, not written over', async () => {
  await copied();
  writeFileSync(join(at('a'), 'directory.json'), '{');
  expect((await refusalOf(() => open('a'))).code).toBe('CONFIG_INVALID');
});

test('a log goes on under its new name, and a key that is only gone is missed still', async () => {
  mkdirSync(at('a'));
  const first = openProofs({ dataDir: at('a') }, systemClock());
  const proof = { kind: 30017, ref: 'r', subject: 's', payload: {}, key: 'k' } as const;
  await first.log.append(proof as never);
  const signed = await first.log.checkpoint();
  await first.log.evidence.storeCosignature(1, 'witness.example', '— witness.example AAAA\n');
  await first.log.close();
  await open('a');
  cpSync(at('a'), at('b'), RECURSIVE);
  await open('b', 'restored');
  const second = openProofs({ dataDir: at('b') }, systemClock());
  await rejectForeignKey(second);
  const anew = second.log.latestCheckpoint() ?? '';
  expect(anew.split('\n').slice(1, 3)).toEqual(signed.split('\n').slice(1, 3));
  expect(second.log.evidence.cosignatures(1)).toEqual([]);
  expect(second.log.evidence.latestCosigned()).toBeUndefined();
  expect(anew.split('\n')[0]).not.toBe(signed.split('\n')[0]);
  await second.log.close();
  const third = openProofs({ dataDir: at('b') }, systemClock());
  await rejectForeignKey(third);
  await third.log.close();
  renameSync(join(at('a'), 'proof-log.json'), at('away.json'));
  const fourth = openProofs({ dataDir: at('a') }, systemClock());
  expect((await refusalOf(() => rejectForeignKey(fourth))).code).toBe('CONFIG_INVALID');
  await fourth.log.close();
});

test('two servers of a machine never hold one treasury', async () => {
  const facts = { chainId: 8453, treasury: `0x${'ab'.repeat(20)}`, isLocal: false };
  const release = await lockTreasury(facts);
  const same = { ...facts, treasury: facts.treasury.toUpperCase().replace('0X', '0x') };
  expect((await refusalOf(() => lockTreasury(same))).code).toBe('TREASURY_SHARED');
  for (const other of [{ chainId: 1 }, { treasury: '0x01' }, { isLocal: true }]) {
    await (await lockTreasury({ ...facts, ...other }))();
  }
  await release();
  await (await lockTreasury(facts))();
});
