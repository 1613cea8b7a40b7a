// A chain with a block time of its own, the test dollar on it, and money for whoever needs some.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createTestClient, http, parseEther, publicActions, walletActions } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { fromDist } from '../lib/dist.mjs';
import { freePort, sleep, stopChild } from '../lib/proc.mjs';

const CHAIN = { id: 31_337, name: 'bench', nativeCurrency: { name: '', symbol: '', decimals: 18 } };
const START_TRIES = 100;
const RECEIPT_EVERY_MS = 20;

/** Starts anvil with a block every `blockSeconds` and deploys the token. `end` stops it. */
export async function startChain(blockSeconds) {
  const { findAnvilBinary } = await fromDist('providers/chain/local/anvil-binary.js');
  const port = await freePort();
  const options = ['--host', '127.0.0.1', '--port', String(port), '--block-time', blockSeconds];
  const child = spawn(findAnvilBinary(), [...options.map(String), '--accounts', '0', '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const transport = http(rpcUrl, { timeout: 10_000 });
  const shape = { mode: 'anvil', transport, pollingInterval: RECEIPT_EVERY_MS };
  const chain = { ...CHAIN, rpcUrls: { default: { http: [rpcUrl] } } };
  const client = createTestClient({ ...shape, chain })
    .extend(publicActions)
    .extend(walletActions);
  await answering(client);
  const [operator, stranger] = await Promise.all([rich(client), rich(client)]);
  const token = await deploy(client, operator);
  return {
    rpcUrl,
    token: token.address,
    operatorKey: operator.key,
    mint: (to, micro) => mined(client, client.writeContract({ ...token, args: [to, micro] })),
    /** Sends a bare transaction and waits until it is so many blocks deep, its own included. */
    bare: (confirmations) =>
      mined(
        client,
        client.sendTransaction({ account: stranger.account, to: stranger.account.address }),
        confirmations,
      ),
    end: () => stopChild(child),
  };
}

async function deploy(client, { account }) {
  const file = new URL('../../contracts/artifacts/TestDollar.json', import.meta.url);
  const { abi, bytecode } = JSON.parse(readFileSync(file, 'utf8'));
  const sent = client.deployContract({ abi, bytecode, account, args: [account.address] });
  const { contractAddress } = await mined(client, sent);
  return { address: contractAddress, abi, account, functionName: 'mint' };
}

async function mined(client, sent, confirmations = 1) {
  const wait = { hash: await sent, timeout: 30_000, confirmations };
  const receipt = await client.waitForTransactionReceipt(wait);
  if (receipt.status !== 'success') throw new Error('a transaction of the bench failed');
  return receipt;
}

async function rich(client) {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  await client.setBalance({ address: account.address, value: parseEther('1000') });
  return { key, account };
}

async function answering(client) {
  for (let tries = 0; ; tries += 1) {
    try {
      await client.getBlockNumber();
      return;
    } catch (error) {
      if (tries >= START_TRIES) throw error;
      await sleep(100);
    }
  }
}
