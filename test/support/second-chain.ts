import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWalletClient, encodeFunctionData, type Hex, http, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { findAnvilBinary } from '../../src/providers/chain/local/anvil-binary.ts';
import { readArtifact } from '../../src/providers/chain/local/artifact.ts';
import { deployContracts } from '../../src/providers/chain/local/deploy-contracts.ts';
import type { RpcChainOptions } from '../../src/providers/chain/rpc-chain.ts';
import type { ContractAddresses } from '../../src/providers/chain/trust/deploy.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../src/providers/payment/payment-chain.ts';
import { TOKEN_ABI } from '../../src/providers/payment/token-abi.ts';
import { compileSource, freePort } from './contract-world.ts';
import { nodeRpc, until } from './node-rpc.ts';
import { tempDir } from './temp-dir.ts';

/** A chain of others: with the layer-2's id, the domain of its stablecoin and slow blocks. */
export interface SecondChain {
  readonly rpcUrl: string;
  readonly token: Hex;
  readonly operatorKey: Hex;
  readonly contracts: ContractAddresses;
  /** Opens the chain as the service does; `via` goes in front of the node. */
  open(options?: OpenOptions): Promise<NodePaymentChain>;
  nowS(): Promise<number>;
  passS(seconds: number): Promise<void>;
  /** Gives dollars. */
  mint(to: string, amount: string): Promise<void>;
  /** Makes blocks at once. */
  mine(blocks: number): Promise<void>;
  /** Replaces the last blocks by others without transactions; what was in them is forgotten. */
  reorg(depth: number): Promise<void>;
  /** With `false` no block is made any more, until `true`. */
  setMining(isOn: boolean): Promise<void>;
  close(): Promise<void>;
}

/** How the service opens the chain. */
export interface OpenOptions {
  readonly via?: string;
  readonly confirmations?: number;
  readonly dataDir?: string;
  /** One ether unless given: its fees are those of a dear chain. */
  readonly gasBudgetWei?: bigint;
  readonly patienceMs?: number;
  /** The longest pause between two questions for a receipt; a fifth of a second unless given. */
  readonly everyMs?: number;
  /** Milliseconds; the clock of this machine unless given. */
  readonly now?: () => number;
  /** Hears what an operator is told. */
  readonly notice?: (line: string) => void;
  /** Other settings than those of this chain. */
  readonly settings?: Partial<
    Pick<RpcChainOptions, 'token' | 'contracts' | 'operatorKey' | 'treasuryKey'>
  >;
}

const ETHER = toHex(10n ** 20n);
const CHAIN_ID = base.id;

/**
 * Starts the chain with its contracts. `blockTimeS` is 2 as on the layer-2 unless given; with 0
 * each transaction makes a block. With `socket` its node is asked there as well.
 */
export async function secondChain(blockTimeS = 2, socket?: string): Promise<SecondChain> {
  const port = await freePort();
  const rpcUrl = `http://127.0.0.1:${port}`;
  const flags = ['--host', '127.0.0.1', '--port', String(port), '--silent'];
  const times = ['--chain-id', String(CHAIN_ID), '--slots-in-an-epoch', '1', '--accounts', '0'];
  const ipc = socket === undefined ? [] : ['--ipc', socket];
  const node = spawn(findAnvilBinary(), [...flags, ...times, ...ipc], { stdio: 'ignore' });
  await until(() => nodeRpc(rpcUrl, 'eth_chainId').then(Boolean, () => false));
  const minter = privateKeyToAccount(generatePrivateKey());
  const operatorKey = generatePrivateKey();
  const operator = privateKeyToAccount(operatorKey).address;
  for (const each of [minter.address, operator]) {
    await nodeRpc(rpcUrl, 'anvil_setBalance', each, ETHER);
  }
  const wallet = createWalletClient({ chain: base, transport: http(rpcUrl), account: minter });
  const { abi, bytecode } = dollarOfOthers();
  const hash = await wallet.deployContract({ abi, bytecode, args: [minter.address] });
  const token = (await receiptOf(rpcUrl, hash)).contractAddress as Hex;
  const folder = tempDir();
  const common = { rpcUrl, token, operatorKey, now: Date.now, dataDir: folder.path };
  const { addresses } = await deployContracts({
    ...common,
    patience: { everyMs: 20, totalMs: 10_000 },
  });
  const { token: _token, ...contracts } = addresses;
  if (blockTimeS > 0) await nodeRpc(rpcUrl, 'evm_setIntervalMining', blockTimeS);
  let opened = 0;
  return {
    rpcUrl,
    token,
    operatorKey,
    contracts,
    nowS: () => readTimeS(rpcUrl),
    open: (options = {}) => {
      const {
        via,
        confirmations = 2,
        dataDir,
        gasBudgetWei = 10n ** 18n,
        patienceMs = 20_000,
        everyMs = 200,
      } = options;
      opened += 1;
      return openPaymentChain({
        kind: 'rpc',
        ...common,
        contracts,
        confirmations,
        timeoutMs: 5_000,
        rpcUrl: via ?? rpcUrl,
        dataDir: dataDir ?? `${folder.path}/${opened}`,
        now: options.now ?? Date.now,
        notice: options.notice ?? (() => undefined),
        gasBudgetWei,
        patience: { firstMs: everyMs / 4, everyMs, totalMs: patienceMs },
        ...options.settings,
      });
    },
    passS: async (seconds) => {
      await nodeRpc(rpcUrl, 'evm_increaseTime', seconds);
      await nodeRpc(rpcUrl, 'anvil_mine', '0x1');
    },
    mint: async (to, amount) => {
      const args = [to as Hex, BigInt(amount)] as const;
      const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args });
      await receiptOf(rpcUrl, await wallet.sendTransaction({ to: token, data }));
    },
    mine: async (blocks) => void (await nodeRpc(rpcUrl, 'anvil_mine', toHex(blocks))),
    reorg: async (depth) => void (await nodeRpc(rpcUrl, 'anvil_reorg', depth, [])),
    setMining: async (isOn) =>
      void (await (blockTimeS > 0
        ? nodeRpc(rpcUrl, 'evm_setIntervalMining', isOn ? blockTimeS : 0)
        : nodeRpc(rpcUrl, 'evm_setAutomine', isOn))),
    close: async () => {
      const gone = new Promise((done) => node.once('exit', done));
      node.kill();
      await gone;
      folder.remove();
    },
  };
}

async function readTimeS(rpcUrl: string): Promise<number> {
  const block = await nodeRpc<{ timestamp: Hex }>(
    rpcUrl,
    ...(['eth_getBlockByNumber', 'latest', false] as const),
  );
  return Number(block.timestamp);
}

async function receiptOf(rpcUrl: string, hash: string) {
  for (;;) {
    const receipt = await nodeRpc<{ contractAddress: string | null } | null>(
      rpcUrl,
      'eth_getTransactionReceipt',
      hash,
    );
    if (receipt !== null) return receipt;
    await sleep(20);
  }
}

/** Where the compiled dollar is kept: the compiler takes some seconds. */
export const DOLLAR_FILE = new URL('../fixtures/contracts/dollar-of-others.txt', import.meta.url);

function dollarOfOthers() {
  const { abi } = readArtifact('TestDollar');
  return { abi, bytecode: readFileSync(DOLLAR_FILE, 'utf8').trim() as Hex };
}

/** Compiles the dollar of a local chain under the name and version of the public one. */
export function compileDollarOfOthers(): Hex {
  const source = readFileSync(new URL('../../contracts/TestDollar.sol', import.meta.url), 'utf8')
    .replaceAll('"Stoa Test Dollar", "1"', '"USD Coin", "2"')
    .replace('"Stoa Test Dollar", "TUSD"', '"USD Coin", "USDC"')
    .replace('return "1";', 'return "2";');
  return compileSource('TestDollar', source).bytecode;
}
