import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { liveBoard } from '../support/live-board.ts';
import { balanceOf, cleanUp, freshDataDir, startRealServer } from '../support/real-server.ts';
import { secondChain } from '../support/second-chain.ts';

afterAll(cleanUp);

const serve = (dataDir: string, env: Readonly<Record<string, string>> = {}) =>
  runCli(['serve', '--json', '--port', '0', '--data', dataDir], { env });

function names(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

test('stores whose chain is gone or begun anew are refused, nothing is made or paid, and it comes back', {
  timeout: 400_000,
}, async () => {
  const dataDir = freshDataDir();
  let server = await startRealServer(dataDir);
  const board = await liveBoard(() => server, '10');
  const job = await board.hire('escrow', '5');
  await server.stop();
  const [chain, away] = [join(dataDir, 'chain'), join(dataDir, 'away')];

  renameSync(chain, away);
  const gone = await serve(dataDir);
  expect([gone.code, gone.stdout]).toEqual([2, '']);
  expect(gone.stderr).toContain('DATA_DAMAGED: chain/keys.json is missing');
  expect(names(chain)).toEqual([]);

  // The keys alone, so that a fresh chain would have the same accounts and the same contracts.
  cpSync(join(away, 'keys.json'), join(chain, 'keys.json'));
  const anew = await serve(dataDir);
  expect([anew.code, anew.stdout]).toEqual([2, '']);
  expect(anew.stderr).toContain('DATA_DAMAGED: chain/local.json is missing');
  // Foreign keys, so that everything would be another one.
  rmSync(chain, { recursive: true });
  const other = await startRealServer(freshDataDir());
  await other.stop();
  cpSync(join(other.dataDir, 'chain'), chain, { recursive: true });
  const foreign = await serve(dataDir);
  expect([foreign.code, foreign.stdout]).toEqual([2, '']);
  expect(foreign.stderr).toContain('DATA_DAMAGED: chain/keys.json is not the original file');

  rmSync(chain, { recursive: true });
  renameSync(away, chain);
  server = await startRealServer(dataDir);
  expect((await board.job(job.job_id)).state).toMatch(/^escrowed/);
  expect(await balanceOf(server, board.buyer.wallet.address)).toBe(5_000_000n);
  expect(await expectBooksBalanced(server)).toMatchObject({ in: 5_000_000n, held: 5_000_000n });
  await server.stop();
});

test('a chain of others that was begun anew at the same address is refused', {
  timeout: 400_000,
}, async () => {
  const dataDir = freshDataDir();
  const [first, second] = [await secondChain(0), await secondChain(0)];
  const setting = (chain: typeof first) => ({
    STOA_RPC_URL: chain.rpcUrl,
    STOA_TOKEN_ADDRESS: chain.token,
    STOA_OPERATOR_KEY: chain.operatorKey,
  });
  const server = await startRealServer(dataDir, [], setting(first));
  await server.stop();
  const record = readFileSync(join(dataDir, 'own-chain.json'), 'utf8');
  const refused = await serve(dataDir, setting(second));
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('it is not the chain used before');
  expect(readFileSync(join(dataDir, 'own-chain.json'), 'utf8')).toBe(record);
  const again = await startRealServer(dataDir, [], setting(first));
  await again.stop();
  await Promise.all([first.close(), second.close()]);
});
