import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rejectLostChain, rejectOtherChain } from '../../../src/process/chain/own-chain.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { refusalOf } from '../../support/tool-answers.ts';

const { facts } = createMemoryPaymentChain();
const OF_OTHERS = { ...facts, isLocal: false };
const STANDING = { genesis: '0xaa', operator: '0xab', sent: 12, remembered: 12 };
const notices: string[] = [];
let folder: ReturnType<typeof tempDir>;

beforeEach(() => {
  folder = tempDir();
});
afterEach(() => folder.remove());

interface Met extends Partial<typeof STANDING> {
  readonly accepted?: 'moved' | 'restored';
  readonly sold?: string;
}

function meet(over: Partial<typeof OF_OTHERS> = {}, { accepted, sold, ...standing }: Met = {}) {
  const chain = {
    facts: { ...OF_OTHERS, ...over },
    standing: async () => ({ ...STANDING, ...standing, findSoldElsewhere: async () => sold }),
  };
  const notice = (line: string) => void notices.push(line);
  return rejectOtherChain(folder.path, chain, {
    notice,
    ...(accepted === undefined ? {} : { accepted }),
  });
}

const kept = () => readFileSync(join(folder.path, 'own-chain.json'), 'utf8');

test('the same chain is met again, further on, and under another operator', async () => {
  await meet();
  await meet({ token: facts.token.toUpperCase().replace('0X', '0x') });
  await meet({}, { sent: 13, remembered: 13 });
  await meet({}, { operator: '0xcd', sent: 0 });
  expect(JSON.parse(kept())).toMatchObject({ genesis: '0xaa', operator: '0xcd', sent: 0 });
});

test.each([
  ['another id', { chainId: 1 }, {}, 'The chain is different'],
  ['another token', { token: `0x${'1'.repeat(40)}` }, {}, 'The chain is different'],
  ['a chain of ours in place of one of others', { isLocal: true }, {}, 'The chain is different'],
  ['another first block', {}, { genesis: '0xbb' }, 'The chain was recreated'],
  ['fewer transactions', {}, { sent: 11 }, 'The chain has lost transactions'],
])('%s is refused with both sides, and nothing is written', async (_what, over, standing, says) => {
  await meet();
  const before = kept();
  const refusal = await refusalOf(() => meet(over, standing));
  expect(refusal).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(says),
    data: { known: expect.anything(), found: expect.anything() },
  });
  expect(kept()).toBe(before);
});

test('an embedded chain whose folder is gone is not begun anew', async () => {
  rejectLostChain(folder.path);
  await meet({ isLocal: true });
  expect((await refusalOf(() => rejectLostChain(folder.path))).code).toBe('CONFIG_INVALID');
  mkdirSync(join(folder.path, 'chain'));
  writeFileSync(join(folder.path, 'chain', 'keys.json'), '{}');
  rejectLostChain(folder.path);
});

test('a damaged record is refused, not written over', async () => {
  for (const text of ['', '{', '{"chainId":1}']) {
    writeFileSync(join(folder.path, 'own-chain.json'), text);
    expect((await refusalOf(() => meet())).message).toContain('own-chain.json is damaged');
    expect(kept()).toBe(text);
  }
});

test('more than was sent from here is refused, until it is accepted as restored', async () => {
  await meet();
  await meet({}, { sent: 20, remembered: 20 });
  for (const accepted of [undefined, 'moved'] as const) {
    const more = { sent: 21, remembered: 20, ...(accepted === undefined ? {} : { accepted }) };
    expect(await refusalOf(() => meet({}, more))).toMatchObject({
      code: 'TREASURY_SHARED',
      message: expect.stringContaining('--accept-restored'),
      data: { known: 20, found: 21 },
    });
  }
  writeFileSync(join(folder.path, 'proof-log.json'), '{}');
  await meet({}, { sent: 21, remembered: 20, accepted: 'restored' });
  expect(existsSync(join(folder.path, 'proof-log.json'))).toBe(false);
  expect(notices.at(-1)).toContain('has sent 21 transactions');
  await meet({}, { sent: 21, remembered: 20 });
  // What was accepted is no excuse for what comes later.
  expect((await refusalOf(() => meet({}, { sent: 22 }))).code).toBe('TREASURY_SHARED');
});

test('an empty directory takes a key that was used, unless others sell with it', async () => {
  expect(await refusalOf(() => meet({}, { remembered: 0, sold: '0x01' }))).toMatchObject({
    code: 'TREASURY_SHARED',
    data: { known: 0, found: 12, transaction: '0x01' },
  });
  await meet({}, { remembered: 0 });
});

test('an embedded chain is nobody else’s, whatever its operator has sent', async () => {
  await meet({ isLocal: true });
  await meet({ isLocal: true }, { sent: 99, sold: '0x01' });
});
