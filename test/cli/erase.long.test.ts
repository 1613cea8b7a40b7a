import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openProofs } from '../../src/process/proof/proofs.ts';
import { systemClock } from '../../src/runtime/timer/clock.ts';
import { cleanUp, freshDataDir } from '../support/real-server.ts';
import { firstLine, runCli } from './run-cli.ts';

const WALLET = `0x${'a'.repeat(40)}`;
const OTHER = `0x${'b'.repeat(40)}`;

afterAll(cleanUp);

/** A data directory that a server has left, with records about two wallets. */
async function leftDirectory(): Promise<string> {
  const dataDir = freshDataDir();
  const { log } = openProofs({ dataDir }, systemClock());
  for (const [at, subject] of [WALLET, OTHER, WALLET].entries()) {
    await log.append({
      kind: 30_020,
      key: `key ${at}`,
      ref: `pay_${at}`,
      subject,
      payload: { amount: '1', payer: subject },
    });
  }
  await log.checkpoint();
  await log.close();
  return dataDir;
}

async function looked<Seen>(
  dataDir: string,
  look: (log: ReturnType<typeof openProofs>['log']) => Seen,
): Promise<Seen> {
  const { log } = openProofs({ dataDir }, systemClock());
  const seen = look(log);
  await log.close();
  return seen;
}

test('on a stopped data directory the payloads of a wallet go, and the tree stays as it was', async () => {
  const dataDir = await leftDirectory();
  const payloads = () => looked(dataDir, (log) => [0, 1, 2].map((seq) => log.payload(seq)));
  const rootOf = () => looked(dataDir, (log) => Buffer.from(log.root(log.size)).toString('hex'));
  const root = await rootOf();
  expect((await payloads()).every((payload) => payload !== undefined)).toBe(true);
  const { code, stdout, stderr } = await runCli([
    'erase',
    WALLET.toUpperCase().replace('0X', '0x'),
    '--data',
    dataDir,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({
    subject: WALLET,
    erased: { proofs: 2 },
    note: expect.stringContaining('run this command again for the other stores'),
  });
  expect(await payloads()).toEqual([undefined, expect.anything(), undefined]);
  expect(await rootOf()).toBe(root);
  const again = await runCli(['erase', WALLET, '--data', dataDir]);
  expect(JSON.parse(again.stdout).erased).toEqual({ proofs: 0 });
}, 60_000);

test('what names nobody, and a directory that is none, is refused and changes nothing', async () => {
  const dataDir = await leftDirectory();
  const wrong: readonly [readonly string[], number, string][] = [
    [['erase', '--data', dataDir], 2, "Missing required argument 'subject'"],
    [['erase', 'two words', '--data', dataDir], 1, 'INPUT_INVALID'],
    [['erase', 'x'.repeat(201), '--data', dataDir], 1, 'INPUT_INVALID'],
    [['erase', WALLET, OTHER, '--data', dataDir], 2, 'Unexpected argument'],
    [['erase', WALLET, '--data', join(dataDir, 'nowhere')], 2, 'This is not a data directory'],
    [['erase', WALLET, '--data'], 2, "Option '--data <dir>' argument missing"],
  ];
  for (const [args, code, says] of wrong) {
    const ended = await runCli(args);
    expect([ended.code, ended.stdout, firstLine(ended.stderr)], args.join(' ')).toEqual([
      ...[code, ''],
      expect.stringContaining(says),
    ]);
  }
  const left = await looked(dataDir, (log) => [0, 1, 2].map((seq) => log.payload(seq)));
  expect(left.every((payload) => payload !== undefined)).toBe(true);
}, 60_000);
