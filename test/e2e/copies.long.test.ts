import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expectBooksBalanced } from '../support/books.ts';
import { cleanUp, cliPath, freshDataDir, fund, startRealServer } from '../support/real-server.ts';
import { secondChain } from '../support/second-chain.ts';

afterAll(cleanUp);

test('a copy that is started beside the original leaves it well', {
  timeout: 240_000,
}, async () => {
  const original = await startRealServer(freshDataDir());
  await fund(original, `0x${'ab'.repeat(20)}`);
  const node = nodeOf(original.dataDir);
  const copy = await startRealServer(copyOf(original.dataDir));
  expect(copy.errors()).toContain(`is a copy of ${original.dataDir}, which is running`);
  expect(copy.ready.chain.rpc_url).not.toBe(original.ready.chain.rpc_url);
  await copy.stop();
  expect(nodeOf(original.dataDir)).toBe(node);
  process.kill(node, 0);
  expect((await fetch(`${original.ready.base_url}/readyz`)).status).toBe(200);
  await expectBooksBalanced(original);
  await original.stop();
});

test('of two directories on one treasury of others, the second is refused', {
  timeout: 240_000,
}, async () => {
  const chain = await secondChain(0);
  const setting = {
    STOA_RPC_URL: chain.rpcUrl,
    STOA_TOKEN_ADDRESS: chain.token,
    STOA_OPERATOR_KEY: chain.operatorKey,
  };
  const original = await startRealServer(freshDataDir(), [], setting);
  const copied = copyOf(original.dataDir);
  expect(await refused(copied, setting)).toContain('DATA_DIR_COPIED');
  expect(await refused(copied, setting, '--accept-moved')).toContain('which is running');
  for (const [dataDir, ...flags] of [[freshDataDir()], [copied, '--accept-restored']] as const) {
    expect(await refused(dataDir, setting, ...flags)).toContain('TREASURY_SHARED');
  }
  expect((await fetch(`${original.ready.base_url}/readyz`)).status).toBe(200);
  await original.stop();
  await chain.close();
});

function copyOf(dataDir: string): string {
  const copied = freshDataDir();
  rmSync(copied, { recursive: true });
  cpSync(dataDir, copied, { recursive: true });
  return copied;
}

function nodeOf(dataDir: string): number {
  return JSON.parse(readFileSync(join(dataDir, 'chain', 'anvil.json'), 'utf8')).pid;
}

/** What a server says that does not start. */
async function refused(
  dataDir: string,
  setting: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<string> {
  const words = ['serve', '--json', '--port', '0', '--data', dataDir, ...flags];
  const child = spawn(process.execPath, [await cliPath(), ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...setting },
  });
  let says = '';
  child.stderr.on('data', (chunk: Buffer) => {
    says += chunk.toString('utf8');
  });
  const [code] = await once(child, 'close');
  expect(code).not.toBe(0);
  return says;
}
