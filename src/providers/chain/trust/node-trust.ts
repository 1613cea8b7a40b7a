import type { Hex } from 'viem';
import type { TrustChain, TrustContracts } from '../../../domain/chain/trust-chain.ts';
import { AppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { ChainFacts } from '../../../domain/payment/payment-chain.ts';
import type { TypedData } from '../../../domain/wallet/typed-data.ts';
import { openEscrow } from '../../escrow/escrow.ts';
import { jobMinimum } from '../../escrow/job-minimum.ts';
import { openIdentity } from '../../passport/identity.ts';
import { isSameAddress } from '../../payment/local-check.ts';
import { openAnchor } from '../../proof/anchor.ts';
import type { OpenChain } from '../local/local-chain.ts';
import type { LookUp } from '../look-up.ts';
import { recoverSigner } from '../signature.ts';
import { type ContractSigned, contractSigned } from '../wallet-contract.ts';
import { PREDICTION_ABI } from './abi.ts';
import { openCaller } from './caller.ts';
import { openLogFeed } from './log-feed.ts';
import { statementSigner } from './statement.ts';
import { typedDigest } from './typed-digest.ts';
import { askSurely } from './view.ts';

/** The dependencies of the contracts on a real chain. */
export interface NodeTrustParts {
  readonly chain: OpenChain;
  readonly facts: ChainFacts;
  readonly lookUp: LookUp;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
}

/** The contracts, with a way to stop their log feed. */
export interface NodeTrust extends TrustChain {
  close(): void;
}

/** Longest pause between two log reads, in milliseconds. A block takes 2 seconds. */
const LOOK_EVERY_MS = { local: 250, others: 1_000 };

/** Creates the contracts of a chain on its node. */
export function nodeTrust({ chain, facts, lookUp, now }: NodeTrustParts): NodeTrust {
  const { contracts, accounts, rpc, confirmations, firstBlock } = chain;
  const address = (name: keyof TrustContracts) => () => requireContract(contracts, name);
  const caller = openCaller(chain);
  const hasSigned = contractSigned(chain);
  const feed = openLogFeed({
    reader: () => ({ rpc, escrow: address('escrow')(), confirmations }),
    told: (logs) => {
      for (const { transaction, block, blockHash, key, event } of logs) {
        const subject = `${key}:${event.name}`;
        chain.finality.tell({ hash: transaction, block, blockHash, subject });
      }
    },
    everyMs: chain.isLocal ? LOOK_EVERY_MS.local : LOOK_EVERY_MS.others,
    keepFrom: chain.keepFrom,
  });
  return {
    contracts,
    operator: accounts.operator.address,
    identity: openIdentity({ chain, caller, registry: address('identity') }),
    escrow: openEscrow({
      ...{ chain, facts, caller, lookUp, feed, firstBlock, hasSigned },
      address: address('escrow'),
    }),
    anchor: openAnchor({ chain, caller, address: address('anchor'), firstBlock }),
    isSignedBy: (wallet, data, signature) => isSignedBy(hasSigned, { wallet, data, signature }),
    signStatement: statementSigner(accounts.treasury, facts.chainId),
    nowS: async () => {
      const block = await rpc.call<{ readonly timestamp: Hex }>('eth_getBlockByNumber', [
        'latest',
        false,
      ]);
      const chainS = Number(block.timestamp);
      // An embedded chain makes blocks only when needed, so the system clock sets its time.
      return chain.isLocal ? Math.max(chainS, Math.floor(now() / SECOND_MS)) : chainS;
    },
    markets: async () => {
      const view = { to: address('prediction')(), abi: PREDICTION_ABI, name: 'marketCount' };
      const [block, count] = await Promise.all([
        rpc.call<Hex>('eth_blockNumber', []),
        askSurely<bigint>(rpc, view),
      ]);
      return { count: count.toString(), block: Number(block) };
    },
    undone: () => chain.finality.undone(),
    jobMinimum: () => jobMinimum(chain),
    paidCalls: chain.gas.paidCalls,
    gas: () => ({
      used: chain.gas.used().toString(),
      budget: chain.gas.budget?.toString() ?? null,
    }),
    close: feed.close,
  };
}

function requireContract(contracts: TrustContracts, name: keyof TrustContracts): Hex {
  const address = contracts[name];
  if (address !== null) return address as Hex;
  throw new AppError('NOT_CONFIGURED', {
    message:
      `This chain has no ${name} contract. Set STOA_${name.toUpperCase()}_ADDRESS, or deploy it ` +
      'with `stoa contracts deploy`.',
    data: { contract: name },
  });
}

async function isSignedBy(
  hasSigned: ContractSigned,
  signed: { readonly wallet: string; readonly data: TypedData; readonly signature: string },
): Promise<boolean> {
  const { wallet, data, signature } = signed;
  const digest = typedDigest(data);
  const signer = recoverSigner(digest, signature);
  if (signer !== undefined && isSameAddress(signer, wallet)) return true;
  return hasSigned(wallet, digest, signature);
}
