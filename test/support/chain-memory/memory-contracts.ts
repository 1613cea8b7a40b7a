import { keccak256, toHex } from 'viem/utils';
import type {
  EscrowedJob,
  EscrowLog,
  FeedbackOrder,
  RegisteredAgent,
} from '../../../src/domain/chain/trust-chain.ts';
import { recoverSigner } from '../../../src/providers/chain/signature.ts';
import { isSameAddress } from '../../../src/providers/payment/local-check.ts';

/** An agent in memory, with its metadata. */
export interface MemoryAgent extends RegisteredAgent {
  readonly metadata: Readonly<Record<string, string>>;
}

/** A job in memory, with the contract's private state. */
export interface MemoryJob extends EscrowedJob {
  readonly jobId: string;
  readonly wasDisputed: boolean;
}

/** A call that is in a block. */
export interface MemoryCall {
  readonly transaction: string;
  readonly block: number;
}

/** An anchored root. */
export interface MemoryAnchor extends MemoryCall {
  readonly size: number;
  readonly root: string;
}

/**
 * A contract wallet: returns whether it accepts a signature of a digest, in a call or in a block.
 */
export type MemoryWallet = (
  digest: Uint8Array,
  signature: string,
  where: 'call' | 'block',
) => boolean;

/** The state of the contracts. Each ledger has one, so a restart finds both again. */
export interface MemoryContracts {
  readonly agents: Map<string, MemoryAgent>;
  /** The result of each registration, by its token, and of each move, by its name. */
  readonly calls: Map<string, MemoryCall & { readonly result?: string }>;
  readonly jobs: Map<string, MemoryJob>;
  /** Authorizations whose money funded a job or was returned: `payer:nonce`. */
  readonly spent: Set<string>;
  readonly logs: EscrowLog[];
  readonly anchors: MemoryAnchor[];
  /** Feedback in the order in which it was written. */
  readonly feedback: FeedbackOrder[];
  /** Contract wallets, by lower-case address. */
  readonly wallets: Map<string, MemoryWallet>;
  /** Accounts that the token blocks (`frozen`), and what the escrow owes by party (`owed`). */
  readonly frozen: Set<string>;
  readonly owed: Map<string, bigint>;
  /** Money in open jobs. */
  held: bigint;
  block: number;
  /** Counts reorganisations and is part of every block hash. */
  fork: number;
  /** Adds a block for a call. */
  mine(): MemoryCall;
  /** Returns the hash of a block on the current fork. */
  hashOf(block: number): string;
}

/** Creates contracts without any calls. */
export function createMemoryContracts(): MemoryContracts {
  const contracts: MemoryContracts = {
    agents: new Map(),
    calls: new Map(),
    jobs: new Map(),
    spent: new Set(),
    logs: [],
    anchors: [],
    feedback: [],
    wallets: new Map(),
    frozen: new Set(),
    owed: new Map(),
    held: 0n,
    block: 0,
    fork: 0,
    mine: () => {
      contracts.block += 1;
      const { block } = contracts;
      return { transaction: keccak256(toHex(`call ${block}`)), block };
    },
    hashOf: (block) => keccak256(toHex(`block ${block} of fork ${contracts.fork}`)),
  };
  return contracts;
}

/** Returns whether a wallet signed, by its key or as a contract. */
export function hasSigned(
  { wallets }: Pick<MemoryContracts, 'wallets'>,
  wallet: string,
  signed: { readonly digest: Uint8Array; readonly signature: string },
): boolean {
  const { digest, signature } = signed;
  const signer = recoverSigner(digest, signature);
  if (signer !== undefined && isSameAddress(signer, wallet)) return true;
  return wallets.get(wallet.toLowerCase())?.(digest, signature, 'call') === true;
}
