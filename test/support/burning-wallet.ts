import { encodeDeployData, type Hex, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { ContractArtifact } from '../../src/providers/chain/local/artifact.ts';
import { compileForTest } from './contract-world.ts';
import { nodeRpc, until } from './node-rpc.ts';

/** By what a wallet tells that it is carried out; see contracts/BurningWallet.sol. */
export interface BurnRule {
  readonly sign: number;
  /** 0 equal, 1 below, 2 above. */
  readonly comparison: number;
  readonly bound: bigint;
}

/** Signs that a wallet can see. */
export const BURN_SIGNS = [
  'gasprice',
  'basefee',
  'coinbase',
  'number',
  'gasleft',
  'timestamp',
  'prevrandao',
  'gaslimit',
  'origin',
] as const;

let artifact: ContractArtifact | undefined;

/** Deploys a burning wallet of an owner. @returns Its address. */
export async function deployBurning(
  rpcUrl: string,
  owner: string,
  rule: BurnRule,
): Promise<string> {
  artifact ??= compileForTest('BurningWallet');
  const args = [owner as Hex, rule.sign, rule.comparison, rule.bound];
  const data = encodeDeployData({ ...artifact, args });
  const deployer = privateKeyToAccount(generatePrivateKey());
  await nodeRpc(rpcUrl, 'anvil_setBalance', deployer.address, toHex(10n ** 18n));
  const raw = await deployer.signTransaction({
    type: 'legacy',
    gas: 1_000_000n,
    gasPrice: 10n ** 10n,
    nonce: 0,
    data,
    chainId: Number(await nodeRpc<string>(rpcUrl, 'eth_chainId')),
  });
  const hash = await nodeRpc<string>(rpcUrl, 'eth_sendRawTransaction', raw);
  let address = '';
  await until(async () => {
    const receipt = await nodeRpc<{ readonly contractAddress: string } | null>(
      rpcUrl,
      ...(['eth_getTransactionReceipt', hash] as const),
    );
    address = receipt?.contractAddress.toLowerCase() ?? '';
    return address !== '';
  });
  return address;
}

/** What an account has sent since a block: gas used, and whether it failed. */
export async function sentSince(rpcUrl: string, from: string, block: number) {
  const head = Number(await nodeRpc<string>(rpcUrl, 'eth_blockNumber'));
  const sent: { readonly gas: number; readonly isFailed: boolean }[] = [];
  for (let number = block + 1; number <= head; number += 1) {
    const found = await nodeRpc<{ readonly transactions: { from: string; hash: string }[] }>(
      rpcUrl,
      ...(['eth_getBlockByNumber', toHex(number), true] as const),
    );
    for (const { hash, from: sender } of found.transactions) {
      if (sender.toLowerCase() !== from.toLowerCase()) continue;
      const receipt = await nodeRpc<{ readonly gasUsed: string; readonly status: string }>(
        rpcUrl,
        ...(['eth_getTransactionReceipt', hash] as const),
      );
      sent.push({ gas: Number(receipt.gasUsed), isFailed: receipt.status !== '0x1' });
    }
  }
  return sent;
}
