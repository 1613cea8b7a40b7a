import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createPublicClient, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { bareEnvironment, runCli } from '../cli/run-cli.ts';
import { proves } from '../support/proves.ts';
import {
  cleanUp,
  cliPath,
  freshDataDir,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';

const ABI = parseAbi([
  'function ownerOf(uint256) view returns (address)',
  'function getAgentWallet(uint256) view returns (address)',
  'function tokenURI(uint256) view returns (string)',
]);

afterAll(cleanUp);

function freshKey(): `0x${string}` {
  return `0x${randomBytes(32).toString('hex')}`;
}

async function passport(server: RealServer, key: string, ...args: readonly string[]) {
  const env = { STOA_WALLET_KEY: key };
  const ended = await runCli(['passport', ...args, '--json', '--data', server.dataDir], { env });
  return { ...ended, told: ended.stdout === '' ? undefined : JSON.parse(ended.stdout) };
}

type Question = 'ownerOf' | 'getAgentWallet' | 'tokenURI';

async function onChain({ ready }: RealServer, name: Question, id: string) {
  const client = createPublicClient({ transport: http(ready.chain.rpc_url) });
  const address = ready.chain.identity as `0x${string}`;
  const args = [BigInt(id)] as const;
  return client.readContract({ address, abi: ABI, functionName: name, args });
}

test('the command mints, shows, binds, claims and revokes; the chain says the same', {
  timeout: 240_000,
}, async () => {
  proves('C1.i1.c1', 'C1.i1.c2');
  const server = await startRealServer(freshDataDir());
  const key = freshKey();
  const { address } = privateKeyToAccount(key);
  const minted = await passport(server, key, 'mint', '--name', 'alpha', '--class', 'research');
  expect(minted.code, minted.stderr).toBe(0);
  expect(minted.told).toMatchObject({
    wallet_bound: true,
    passport: { name: 'alpha', wallet: address.toLowerCase(), custody: 'operator' },
  });
  const { id } = minted.told.passport.erc8004;
  expect(await onChain(server, 'getAgentWallet', id)).toBe(address);

  const shown = await passport(server, key, 'show', address);
  expect(shown.told).toMatchObject({ name: 'alpha', registration: { active: true } });
  const words = await runCli(['passport', 'show', 'alpha', '--url', server.ready.base_url]);
  expect(words.stdout).toContain(`alpha is ${minted.told.passport.agent_id} (active)`);

  const keyFile = join(server.dataDir, 'agent.key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  const claim = ['passport', 'claim', 'alpha', '--data', server.dataDir, '--key-file', keyFile];
  const claimed = await runCli(claim);
  expect([claimed.code, claimed.stdout]).toEqual([0, expect.stringContaining('custody: self')]);
  expect(await onChain(server, 'ownerOf', id)).toBe(address);
  expect(await onChain(server, 'getAgentWallet', id)).toBe(`0x${'0'.repeat(40)}`);

  const revoked = await passport(server, key, 'revoke', 'alpha', '--reason', 'no longer used');
  expect(revoked.told.passport).toMatchObject({ status: 'revoked' });

  const other = await passport(server, freshKey(), 'mint', '--name', 'alpha', '--class', 'x');
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('NAME_TAKEN')]);
  const unknown = await passport(server, key, 'show', 'nobody');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('not registered')]);
  const nobody = await runCli(['passport', 'claim', 'alpha', '--data', server.dataDir]);
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('STOA_WALLET_KEY')]);
  const usage = await runCli(['passport', 'burn']);
  expect([usage.code, usage.stderr]).toEqual([2, expect.stringContaining('one of mint, show')]);

  await until(async () => {
    const answer = await fetch(`${server.ready.base_url}/.well-known/agent-registration.json`);
    return answer.status === 200;
  });
  expect(await server.stop()).toBe(0);
});

test('the local server states its passport, and does not start under one that is not there', {
  timeout: 240_000,
}, async () => {
  proves('C5.i2.c2', 'C5.t4');
  const dataDir = freshDataDir();
  const refused = await speak(dataDir, { STOA_PASSPORT_ID: '4711' });
  expect(refused.instructions).toBeUndefined();
  expect(refused.errors).toContain('STOA_PASSPORT_ID');
  expect(refused.errors).toContain('No agent has this id');

  const server = await startRealServer(dataDir);
  const address = `${server.ready.base_url}/.well-known/agent-registration.json`;
  await until(async () => (await fetch(address)).ok);
  const file = await fetch(address);
  const { registrations } = (await file.json()) as {
    registrations: readonly [{ agentId: number; agentRegistry: string }];
  };
  const own = `${registrations[0].agentRegistry}:${registrations[0].agentId}`;
  expect((await speak(dataDir, {})).instructions).toContain(own);
  const { agentId } = registrations[0];
  const named = await speak(dataDir, { STOA_PASSPORT_ID: String(agentId) });
  expect(named.instructions).toContain(own);
  const other = await speak(dataDir, { STOA_PASSPORT_ID: '4711' });
  expect(other.errors).toContain(own);
  expect(await server.stop()).toBe(0);

  // The next life is reached at another port, and the registry says so.
  const next = await startRealServer(dataDir);
  expect(next.ready.base_url).not.toBe(server.ready.base_url);
  let uri = '';
  await until(async () => {
    uri = await onChain(next, 'tokenURI', String(agentId));
    return uri.startsWith(`${next.ready.base_url}/`);
  });
  const { services } = (await (await fetch(uri)).json()) as {
    services: readonly { endpoint: string }[];
  };
  expect(services[0]?.endpoint).toBe(`${next.ready.base_url}/mcp`);
  expect(await next.stop()).toBe(0);
});

test('what is free needs neither a key nor a payment', { timeout: 120_000 }, async () => {
  proves('C5.i4');
  const { ready } = await startRealServer(freshDataDir());
  await until(async () => (await fetch(`${ready.base_url}/a2a/passport/stoa`)).ok);
  for (const path of [
    '/a2a/passport/stoa',
    '/a2a/treasury/balances',
    '/.well-known/agent-services.json',
    '/.well-known/mcp/server-card.json',
  ]) {
    expect((await fetch(`${ready.base_url}${path}`)).status, path).toBe(200);
  }
  // Nothing has been settled yet: that is all that this one lacks.
  const proof = await fetch(`${ready.base_url}/v1/proofs/settlement/set_${'0'.repeat(64)}`);
  expect(await proof.json()).toMatchObject({ error: 'PROOF_UNKNOWN' });
  const { tools } = await listTools(ready.mcp_v1);
  expect(tools.length).toBeGreaterThan(0);
});

async function listTools(url: string) {
  const client = new Client({ name: 'e2e', version: '1' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const listed = await client.listTools();
  await client.close();
  return listed;
}

async function speak(dataDir: string, env: Readonly<Record<string, string>>) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await cliPath(), 'stdio', '--server', 'commerce', '--data', dataDir],
    env: { ...bareEnvironment(), ...env },
    stderr: 'pipe',
  });
  let errors = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const client = new Client({ name: 'e2e', version: '1' }, {});
  const isConnected = await client.connect(transport).then(
    () => true,
    // A daemon that cannot start says why in the answer to the first request.
    (thrown: unknown) => {
      errors += String(thrown);
      return false;
    },
  );
  const instructions = isConnected ? client.getInstructions() : undefined;
  await client.close();
  return { instructions, errors };
}
