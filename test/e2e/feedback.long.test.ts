import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  keccak256,
  parseAbi,
  parseAbiItem,
  toHex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import {
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';

const run = promisify(execFile);
const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const GIVEN = parseAbiItem(
  'event NewFeedback(uint256 indexed agentId, address indexed clientAddress, uint64 feedbackIndex, int128 value, uint8 valueDecimals, string indexed indexedTag1, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)',
);
const ABI = parseAbi([
  'function giveFeedback(uint256 agentId, int128 value, uint8 valueDecimals, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)',
]);

afterAll(cleanUp);

function reader({ ready }: RealServer) {
  return createPublicClient({ transport: http(ready.chain.rpc_url) });
}

async function feedbackOn(server: RealServer) {
  const address = server.ready.chain.reputation as `0x${string}`;
  const found = { address, event: GIVEN, fromBlock: 0n } as const;
  return (await reader(server).getLogs(found)).map(({ args }) => args);
}

/** One job of 5 dollars is released, one of 7 is decided for the buyer. */
async function trade(server: RealServer, provider: Payer, buyer = createPayer()) {
  await fund(server, buyer.address, '12.02');
  const folder = join(server.dataDir, 'saved');
  await run(process.execPath, [example('two-agents.mjs'), server.ready.base_url, folder], {
    env: {
      ...process.env,
      BUYER_KEY: buyer.privateKey,
      PROVIDER_KEY: provider.privateKey,
      OPERATOR_TOKEN: readFileSync(server.ready.token_file, 'utf8').trim(),
    },
    timeout: 120_000,
  });
}

async function passport(server: RealServer, { privateKey }: Payer, ...args: readonly string[]) {
  const env = { STOA_WALLET_KEY: privateKey };
  const all = ['passport', ...args, '--json', '--data', server.dataDir];
  const { code, stdout, stderr } = await runCli(all, { env });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout).passport;
}

/** What the independent program finds on the chain. */
async function scoreFromChain({ ready: { chain } }: RealServer, agentId: string) {
  const args = ['--rpc', chain.history_url ?? '', '--reputation', chain.reputation ?? ''];
  const { stdout } = await run(
    process.execPath,
    [example('reputation-from-chain.mjs'), agentId, ...args, '--escrow', chain.escrow ?? ''],
    { timeout: 60_000 },
  );
  return JSON.parse(stdout);
}

async function reputationShown({ ready }: RealServer, name: string) {
  const answer = await fetch(`${ready.base_url}/a2a/passport/${name}`);
  return ((await answer.json()) as { reputation: { score: number } }).reputation;
}

/** A stranger writes praise of its own, and repeats that of the operator. */
async function forge(server: RealServer, agentId: string, uri: string) {
  const account = privateKeyToAccount(generatePrivateKey());
  const { id, rpc_url, reputation } = server.ready.chain;
  const chain = defineChain({
    id,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpc_url] } },
  });
  const wallet = createWalletClient({ account, chain, transport: http() });
  const file = await (await fetch(uri)).text();
  const { job, ...real } = JSON.parse(file);
  // A file that is right in every respect: about a real payment, for a job that nobody knows.
  const clientAddress = `eip155:${id}:${account.address}`;
  const forged = JSON.stringify({ ...real, clientAddress, job: { ...job, id: 'job_forged' } });
  const praise = [
    [`data:application/json,${encodeURIComponent(forged)}`, keccak256(toHex(forged))],
    [uri, keccak256(toHex(file))],
  ] as const;
  for (const [address, hash] of praise) {
    const transaction = await wallet.writeContract({
      address: reputation as `0x${string}`,
      abi: ABI,
      functionName: 'giveFeedback',
      args: [BigInt(agentId), 100n, 0, 'settledJob', 'released', '', address, hash],
      gasPrice: 0n,
    });
    await reader(server).waitForTransactionReceipt({ hash: transaction });
  }
  return account.address.toLowerCase();
}

test('settled jobs leave feedback on the chain once, over kills; an independent program finds the same score', {
  timeout: 400_000,
}, async () => {
  const dataDir = freshDataDir();
  let server = await startRealServer(dataDir);
  // The chain keeps the address of each file, so the next life has the same one.
  const { port } = new URL(server.ready.base_url);
  const restart = async () => {
    await server.kill();
    server = await startRealServer(dataDir, ['--port', port]);
  };
  const provider = createPayer();
  const minted = await passport(server, provider, 'mint', '--name', 'alpha', '--class', 'work');
  const { agent_id: agentId } = minted;
  await trade(server, provider);

  // The standard refuses feedback from the owner, which the operator still is.
  expect(await feedbackOn(server)).toEqual([]);
  expect(await scoreFromChain(server, agentId)).toMatchObject({ score: 0, counted: 0 });

  await passport(server, provider, 'claim', 'alpha');
  await restart();
  await until(async () => (await feedbackOn(server)).length === 2);
  await trade(server, provider);
  await restart();
  await until(async () => (await feedbackOn(server)).length === 4);
  await restart();
  const given = await feedbackOn(server);
  expect(given.map(({ tag2, value }) => [tag2, value])).toEqual([
    ...[
      ['released', 100n],
      ['disputeLost', 0n],
    ],
    ...[
      ['released', 100n],
      ['disputeLost', 0n],
    ],
  ]);
  for (const { feedbackURI, feedbackHash } of given) {
    const file = await (await fetch(feedbackURI ?? '')).text();
    expect(keccak256(toHex(file))).toBe(feedbackHash);
    const { proofOfPayment } = JSON.parse(file);
    expect(proofOfPayment).toMatchObject({
      fromAddress: server.ready.chain.escrow,
      chainId: String(server.ready.chain.id),
    });
    const hash = proofOfPayment.txHash;
    expect(await reader(server).getTransactionReceipt({ hash })).toMatchObject({
      status: 'success',
    });
  }

  const shown = await reputationShown(server, 'alpha');
  expect(shown.score).toBeGreaterThan(0);
  const found = await scoreFromChain(server, agentId);
  expect(found).toMatchObject({ score: shown.score, counted: 4, ignored: [] });

  const stranger = await forge(server, minted.erc8004.id, given[0]?.feedbackURI ?? '');
  const after = await scoreFromChain(server, agentId);
  expect(after).toMatchObject({ score: shown.score, counted: 4 });
  expect(after.ignored).toEqual([
    { client: stranger, index: 1, why: 'not by the operator of the escrow' },
    { client: stranger, index: 2, why: 'not by the operator of the escrow' },
  ]);
  const none = await fetch(`${server.ready.base_url}/a2a/feedback/job_0/released.json`);
  expect([none.status, ((await none.json()) as { error: string }).error]).toEqual([
    404,
    'JOB_UNKNOWN',
  ]);
  expect(await server.stop()).toBe(0);
});
