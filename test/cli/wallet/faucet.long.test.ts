import { copyFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
} from '../../support/real-server.ts';
import { firstLine, runCli } from '../run-cli.ts';

const TO = `0x${'ab'.repeat(20)}`;
let server: RealServer;

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
}, 120_000);
afterAll(cleanUp);

function faucet(...flags: readonly string[]) {
  return runCli(['faucet', '--data', server.dataDir, ...flags]);
}

test('it gives what is asked for and says the transaction', async () => {
  const { code, stdout, stderr } = await faucet('--to', TO, '--usd', '2.5');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({
    to: TO,
    usd: '2.5',
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(await balanceOf(server, TO)).toBe(2_500_000n);
});

test.each([
  ['an address that is none', ['--to', '0xab'], 'The body must be'],
  ['nothing', ['--to', TO, '--usd', '0'], 'more than 0'],
  ['less than nothing', ['--to', TO, '--usd=-1'], ''],
  ['more than its cap', ['--to', TO, '--usd', '1000.000001'], 'at most 1000'],
  ['what is no number', ['--to', TO, '--usd', 'ten'], ''],
])('it refuses %s and gives nothing', async (_what, flags, why) => {
  const before = await balanceOf(server, TO);
  const { code, stdout, stderr } = await faucet(...flags);
  expect([code, stdout]).toEqual([1, '']);
  expect(JSON.parse(stderr)).toMatchObject({
    error: 'INPUT_INVALID',
    message: expect.stringContaining(why),
  });
  expect(await balanceOf(server, TO)).toBe(before);
});

describe('without the token', () => {
  test('a missing file is named, and no other one is made in its place', async () => {
    const [file, aside] = [server.ready.token_file, `${server.ready.token_file}.aside`];
    renameSync(file, aside);
    try {
      const { code, stderr } = await faucet('--to', TO);
      expect(code).toBe(1);
      expect(firstLine(stderr)).toContain('stoa: UNAUTHORIZED: The token file cannot be read');
      expect(existsSync(file)).toBe(false);
    } finally {
      renameSync(aside, file);
    }
  });

  test('a wrong one is refused', async () => {
    const dataDir = freshDataDir();
    copyFileSync(join(server.dataDir, 'ready.json'), join(dataDir, 'ready.json'));
    writeFileSync(join(dataDir, 'token'), `${'0'.repeat(64)}\n`);
    const { code, stderr } = await runCli(['faucet', '--to', TO, '--data', dataDir]);
    expect(code).toBe(1);
    expect(stderr).toContain('operator token required');
  });
});

describe('without a server', () => {
  const words = 'stoa: NOT_CONFIGURED: No server runs on this data directory. Start one with';

  test('it says so', async () => {
    const { code, stderr } = await runCli(['faucet', '--to', TO, '--data', freshDataDir()]);
    expect(code).toBe(1);
    expect(firstLine(stderr)).toContain(words);
  });

  test('it says so too when a server was killed and left its ready line', async () => {
    const killed = await startRealServer(freshDataDir());
    await killed.kill();
    const { code, stderr } = await runCli(['faucet', '--to', TO, '--data', killed.dataDir]);
    expect(code).toBe(1);
    expect(firstLine(stderr)).toContain(words);
  });
});
