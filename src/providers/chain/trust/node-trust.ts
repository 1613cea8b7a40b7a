import type { Hex } from 'viem';
import type {
  NewStatement,
  SignedStatement,
  TrustChain,
  TrustContracts,
} from '../../../domain/chain/trust-chain.ts';
import { AppError } from '../../../domain/common/error.ts';
import { hashJson } from '../../../domain/common/hash.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { ChainFacts } from '../../../domain/payment/payment-chain.ts';
import { buildStatementData } from '../../../domain/wallet/statement.ts';
import type { TypedData } from '../../../domain/wallet/typed-data.ts';
import { createEscrow } from '../../escrow/escrow.ts';
import { readJobMinimum } from '../../escrow/job-minimum.ts';
import { createFeedbackRegistry } from '../../passport/feedback-registry.ts';
import { createIdentityRegistry } from '../../passport/identity.ts';
import { isSameAddress } from '../../payment/local-check.ts';
import { createAnchor } from '../../proof/anchor.ts';
import type { AuthorizationLookup } from '../authorization-lookup.ts';
import type { OpenChain } from '../open-chain.ts';
import type { DigestSigner } from '../signature.ts';
import { recoverSigner } from '../signature.ts';
import type { WalletSignatureCheck } from '../wallet-contract.ts';
import { createWalletSignatureCheck } from '../wallet-contract.ts';
import { PREDICTION_ABI } from './abi.ts';
import { createContractCaller } from './caller.ts';
import { createLogFeed } from './log-feed.ts';
import { digestToSign, typedDigest } from './typed-digest.ts';
import { callRequiredView } from './view.ts';

/** The dependencies of the contracts on a real chain. */
export interface NodeTrustDeps {
  readonly chain: OpenChain;
  readonly facts: ChainFacts;
  readonly lookUp: AuthorizationLookup;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
}

/** The contracts, with a way to stop their log feed. */
export interface NodeTrust extends TrustChain {
  close(): void;
}

/** Longest pause between two log reads, in milliseconds. A block takes 2 seconds. */
const POLL_INTERVAL_MS = { local: 250, others: 1_000 };

/** Creates the contracts of a chain on its node. */
export function createNodeTrust({ chain, facts, lookUp, now }: NodeTrustDeps): NodeTrust {
  const { contracts, accounts, rpc, confirmations, firstBlock } = chain;
  const address = (name: keyof TrustContracts) => () => requireContract(contracts, name);
  const caller = createContractCaller(chain);
  const hasSigned = createWalletSignatureCheck(chain);
  const feed = createLogFeed({
    reader: () => ({ rpc, escrow: address('escrow')(), confirmations }),
    told: (logs) => {
      for (const { transaction, block, blockHash, key, event } of logs) {
        const subject = `${key}:${event.name}`;
        chain.finality.report({ hash: transaction, block, blockHash, subject });
      }
    },
    everyMs: chain.isLocal ? POLL_INTERVAL_MS.local : POLL_INTERVAL_MS.others,
    keepFrom: chain.keepFrom,
  });
  return {
    contracts,
    operator: accounts.operator.address,
    identity: createIdentityRegistry({ chain, caller, registry: address('identity') }),
    reputation: createFeedbackRegistry({ caller, registry: address('reputation') }),
    escrow: createEscrow({
      chain,
      facts,
      caller,
      lookUp,
      feed,
      firstBlock,
      hasSigned,
      address: address('escrow'),
    }),
    anchor: createAnchor({ chain, caller, address: address('anchor'), firstBlock }),
    isSignedBy: (wallet, data, signature) => isSignedBy(hasSigned, { wallet, data, signature }),
    signStatement: createStatementSigner(accounts.treasury, facts.chainId),
    nowS: async () => {
      const block = await rpc.call<{ readonly timestamp: Hex }>('eth_getBlockByNumber', [
        'latest',
        false,
      ]);
      const chainS = Number(block.timestamp);
      // An embedded chain makes blocks only when needed, so the system clock sets its time.
      return chain.isLocal ? Math.max(chainS, Math.floor(now() / SECOND_MS)) : chainS;
    },
    readMarketCount: async () => {
      const view = { to: address('prediction')(), abi: PREDICTION_ABI, name: 'marketCount' };
      const [block, count] = await Promise.all([
        rpc.call<Hex>('eth_blockNumber', []),
        callRequiredView<bigint>(rpc, view),
      ]);
      return { count: count.toString(), block: Number(block) };
    },
    revertedTransactions: () => chain.finality.revertedHashes(),
    readMinimumJobBudget: () => readJobMinimum(chain),
    countPaidCalls: chain.gas.settledPayments,
    gasUsage: () => ({
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
  hasSigned: WalletSignatureCheck,
  signed: {
    readonly wallet: string;
    readonly data: TypedData | string;
    readonly signature: string;
  },
): Promise<boolean> {
  const { wallet, data, signature } = signed;
  const digest = digestToSign(data);
  const signer = recoverSigner(digest, signature);
  if (signer !== undefined && isSameAddress(signer, wallet)) return true;
  return hasSigned(wallet, digest, signature);
}

/** Creates the function that signs statements of the service with a key. */
export function createStatementSigner(
  signer: DigestSigner,
  chainId: number,
): (statement: NewStatement) => SignedStatement {
  return ({ kind, payload, issuedAt }) => {
    const terms = {
      kind,
      issued_at: new Date(issuedAt).toISOString(),
      payload_hash: hashJson(payload),
    };
    const value = signer.sign(typedDigest(buildStatementData(terms, chainId)));
    const signature = { alg: 'eip712', signer: signer.address, chain_id: chainId, value } as const;
    return { ...terms, signature };
  };
}
