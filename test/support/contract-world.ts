import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  type Abi,
  type Account,
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  type TransactionReceipt,
  toHex,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { anvil } from 'viem/chains';
import { findAnvilBinary } from '../../src/providers/chain/local/anvil-binary.ts';
import { type ContractArtifact, readArtifact } from '../../src/providers/chain/local/artifact.ts';
import { nodeRpc, until } from './node-rpc.ts';

/** A contract on a node of the test's own, called as strangers call it. */
export interface Deployed {
  readonly address: Address;
  readonly abi: Abi;
  /** Sends a call and waits for its block. Rejects with the contract's error. */
  send(from: Account, name: string, ...args: readonly unknown[]): Promise<Hex>;
  read<Result>(name: string, ...args: readonly unknown[]): Promise<Result>;
}

/** A fresh node that makes a block for each transaction. */
export interface ContractWorld {
  readonly url: string;
  readonly chainId: number;
  deploy(what: string | ContractArtifact, ...args: readonly unknown[]): Promise<Deployed>;
  /** A wallet with money for gas. */
  account(): Promise<PrivateKeyAccount>;
  nowS(): Promise<number>;
  passS(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts the node. */
export async function contractWorld(): Promise<ContractWorld> {
  const port = await freePort();
  const flags = ['--host', '127.0.0.1', '--port', String(port), '--silent', '--gas-price', '0'];
  const node = spawn(findAnvilBinary(), [...flags, '--base-fee', '0'], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await until(() => nodeRpc(url, 'eth_chainId').then(Boolean, () => false));
  const transport = http(url);
  const seen = createPublicClient({ chain: anvil, transport });
  // viem waits for the next block where a receipt comes late, and here no next block may come.
  const receiptOf = async (hash: Hex) => {
    let receipt: TransactionReceipt | undefined;
    await until(async () => {
      receipt = await seen.getTransactionReceipt({ hash }).catch(() => undefined);
      return receipt !== undefined;
    });
    return receipt as TransactionReceipt;
  };
  const wallet = createWalletClient({ chain: anvil, transport });
  const control = createTestClient({ chain: anvil, mode: 'anvil', transport });
  const account = async (): Promise<PrivateKeyAccount> => {
    const made = privateKeyToAccount(generatePrivateKey());
    await nodeRpc(url, 'anvil_setBalance', made.address, toHex(10n ** 18n));
    return made;
  };
  const deployer = await account();
  const deployed = (address: Address, abi: Abi): Deployed => ({
    address,
    abi,
    send: async (from, functionName, ...args) => {
      const call = { address, abi, functionName, args, account: from };
      await seen.simulateContract(call);
      const hash = await wallet.writeContract({ ...call, chain: anvil });
      const { status } = await receiptOf(hash);
      if (status !== 'success') throw new Error(`${functionName} was reverted`);
      return hash;
    },
    read: <Result>(functionName: string, ...args: readonly unknown[]) =>
      seen.readContract({ address, abi, functionName, args }) as Promise<Result>,
  });
  return {
    url,
    chainId: anvil.id,
    account,
    deploy: async (what, ...args) => {
      const { abi, bytecode } = typeof what === 'string' ? readArtifact(what) : what;
      const hash = await wallet.deployContract({ abi, bytecode, args, account: deployer });
      const { contractAddress } = await receiptOf(hash);
      if (!contractAddress) throw new Error('the contract was not deployed');
      return deployed(contractAddress, abi);
    },
    nowS: async () => Number((await seen.getBlock()).timestamp),
    passS: async (seconds) => {
      await control.increaseTime({ seconds });
      await control.mine({ blocks: 1 });
    },
    close: async () => {
      const gone = new Promise((done) => node.once('exit', done));
      node.kill();
      await gone;
    },
  };
}

/** Compiles a contract of this folder that only tests use. */
export function compileForTest(name: string): ContractArtifact {
  const content = readFileSync(new URL(`contracts/${name}.sol`, import.meta.url), 'utf8');
  return compileSource(name, content);
}

/** Compiles a source that only tests use. */
export function compileSource(name: string, content: string): ContractArtifact {
  const require = createRequire(import.meta.url);
  const solc = require('solc') as { compile(input: string, o: object): string };
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const open = (path: string) => ({
    contents: readFileSync(
      path.startsWith('contracts/') ? `${root}${path}` : require.resolve(path),
      'utf8',
    ),
  });
  const file = `${name}.sol`;
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode.object'] } };
  const settings = { evmVersion: 'cancun', outputSelection };
  const input = { language: 'Solidity', sources: { [file]: { content } }, settings };
  const made = JSON.parse(solc.compile(JSON.stringify(input), { import: open }));
  const contract = made.contracts?.[file]?.[name];
  if (contract === undefined) throw new Error(JSON.stringify(made.errors));
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}`, sourceHash: '' };
}

/** Finds a port that nobody has now. */
export function freePort(): Promise<number> {
  return new Promise((found) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
