import { encodeDeployData, type Hex, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { recoverSigner } from '../../src/providers/chain/signature.ts';
import type { MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { compileForTest } from './contract-world.ts';
import { nodeRpc, until } from './node-rpc.ts';
import type { Party } from './trust-parties.ts';

/** How a wallet contract behaves; see contracts/OwnedWallet.sol. */
export const WALLET_KINDS = ['sound', 'greedy', 'costly', 'reverting', 'agreeable'] as const;
/** See {@link WALLET_KINDS}. */
export type WalletKind = (typeof WALLET_KINDS)[number];

/** Makes the wallet contract of an owner; what it signs, its owner signs. */
export type MakeWallet = (owner: Party, kind?: WalletKind) => Promise<Party>;

const ETHER = toHex(10n ** 18n);
const OWN_BYTES = 2 + 2 * 65;

/** Deploys wallet contracts on a node. */
export function walletMaker(rpcUrl: string): MakeWallet {
  return async (owner, kind = 'sound') => {
    const { abi, bytecode } = compileForTest('OwnedWallet');
    const args = [owner.address as Hex, WALLET_KINDS.indexOf(kind)];
    const data = encodeDeployData({ abi, bytecode, args });
    const deployer = privateKeyToAccount(generatePrivateKey());
    await nodeRpc(rpcUrl, 'anvil_setBalance', deployer.address, ETHER);
    const raw = await deployer.signTransaction({
      type: 'legacy',
      gas: 2_000_000n,
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
    return { ...owner, address };
  };
}

/** Makes wallet contracts on a chain in memory. */
export function memoryWalletMaker({ ledger }: Pick<MemoryPaymentChain, 'ledger'>): MakeWallet {
  return async (owner, kind = 'sound') => {
    const address = privateKeyToAccount(generatePrivateKey()).address.toLowerCase();
    ledger.contracts.wallets.set(address, (digest, signature) => {
      const own = recoverSigner(digest, signature.slice(0, OWN_BYTES));
      return kind === 'sound' && own === owner.address;
    });
    return { ...owner, address };
  };
}
