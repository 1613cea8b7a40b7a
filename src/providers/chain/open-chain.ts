import type { Hex } from 'viem';
import type { TrustContracts } from '../../domain/chain/trust-chain.ts';
import type { ReceiptPatience } from '../payment/receipts.ts';
import type { ChainAccounts } from './accounts.ts';
import type { ChainRpc } from './chain-rpc.ts';
import type { Fees } from './fees.ts';
import type { FinalityMonitor } from './finality.ts';
import type { RawArchive } from './local/raw-archive.ts';
import type { RawJournal } from './local/raw-journal.ts';
import type { Relayer } from './relayer.ts';
import type { ReplaceStuck } from './replace-stuck.ts';
import type { ContractAddresses } from './trust/deploy.ts';
import type { GasMeter } from './trust/gas-meter.ts';

/** A chain that accepts transactions of this server. */
export interface OpenChain {
  readonly chainId: number;
  readonly rpcUrl: string;
  /** URL that serves the logs of all blocks of an embedded chain, including pruned ones. */
  readonly historyUrl?: string;
  /** Id that changes when an embedded chain is started anew. */
  readonly born?: string;
  readonly token: Hex;
  /** Addresses of the trust contracts. */
  readonly contracts: TrustContracts;
  readonly accounts: ChainAccounts;
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly journal: RawJournal;
  /** Old transactions that an embedded node has pruned. */
  readonly archive?: RawArchive;
  /** Process id of the node, if it is a child of this process. */
  readonly nodePid: () => number | undefined;
  readonly patience: ReceiptPatience;
  /** Blocks that a settlement must have, its own included, before anything is delivered for it. */
  readonly confirmations: number;
  readonly isLocal: boolean;
  readonly fees: () => Promise<Fees>;
  readonly gas: GasMeter;
  /** Price of the coin that pays for gas, in whole dollars. */
  readonly gasCoinUsd: number;
  /** Re-checks transactions that were reported as final. */
  readonly finality: FinalityMonitor;
  /** Replaces an operator transaction that blocks others, at a higher fee. */
  readonly unstick: ReplaceStuck;
  /** The first block that can hold a log of our contracts. */
  readonly firstBlock: number;
  /** Sets the first block whose logs are still needed, so that an embedded node keeps them. */
  readonly keepFrom: (block: number | undefined) => void;
  close(): Promise<void>;
}

/** Returns the contract addresses, with `null` where there is no contract. */
export function toTrustContracts(addresses: ContractAddresses): TrustContracts {
  const { identity, reputation, validation, escrow, anchor, prediction } = addresses;
  return {
    identity: identity ?? null,
    reputation: reputation ?? null,
    validation: validation ?? null,
    escrow: escrow ?? null,
    anchor: anchor ?? null,
    prediction: prediction ?? null,
  };
}
