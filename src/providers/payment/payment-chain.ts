import { randomUUID } from 'node:crypto';
import type { Hex } from 'viem';
import { encodeFunctionData, isAddress } from 'viem/utils';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import type { Authorization } from '../../domain/payment/payment.ts';
import type {
  ChainFacts,
  OperatorTransfer,
  PaymentChain,
  TransferOutcome,
} from '../../domain/payment/payment-chain.ts';
import { type Belonging, belonging } from '../chain/belonging.ts';
import { checkConfigured } from '../chain/check-configured.ts';
import { authorizationDigest } from '../chain/digest.ts';
import {
  type LocalChainOptions,
  type OpenChain,
  openLocalChain,
} from '../chain/local/local-chain.ts';
import { SetAside } from '../chain/local/set-aside.ts';
import { type LookUp, lookUpAuthorization } from '../chain/look-up.ts';
import { transferAuthorization, transferOutcome } from '../chain/operator-transfer.ts';
import { openRpcChain, type RpcChainOptions } from '../chain/rpc-chain.ts';
import { type NodeTrust, nodeTrust } from '../chain/trust/node-trust.ts';
import { contractSigned } from '../chain/wallet-contract.ts';
import { checkOnChain } from './check-payment.ts';
import { contractCheck, localCheck } from './local-check.ts';
import { offerReceiptSigner } from './offer-receipt.ts';
import { awaitReceipt, gasSpent, hasSucceeded } from './receipts.ts';
import { type SettleParts, type SignedAuthorization, settler } from './settle.ts';
import { findSoldElsewhere } from './sold-elsewhere.ts';
import { openToken, type Token } from './token.ts';
import { TOKEN_ABI } from './token-abi.ts';
import { transferHistory } from './transfer-history.ts';
import { type ReceiptVerdict, verifyReceipt } from './verify-receipt.ts';

/** Selects the chain: an embedded one in the data directory, or a remote one. */
export type PaymentChainOptions =
  | ({ readonly kind: 'local' } & LocalChainOptions)
  | ({ readonly kind: 'rpc' } & RpcChainOptions);

/** The identity and progress of a chain. */
export interface ChainStanding {
  /**
   * Hash of the first block. An embedded chain uses its own id, because its node creates new first
   * blocks.
   */
  readonly genesis: string | null;
  readonly operator: string;
  /** Number of operator transactions in blocks. */
  readonly sent: number;
  /** Number of transactions that this data directory has signed. */
  readonly remembered: number;
  /**
   * Finds a payment that the operator has settled but this data directory does not know.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE`
   */
  readonly findSoldElsewhere: () => Promise<string | undefined>;
}

/** A payment chain on a real node. */
export interface NodePaymentChain extends PaymentChain {
  /** The trust contracts on the same node, called by the same operator. */
  readonly trust: TrustChain;
  /** Process id of the node, if it is a child of this process. */
  readonly nodePid: () => number | undefined;
  /** URL for the logs of all blocks of an embedded chain. The nodes of a remote chain keep them. */
  readonly historyUrl: string | undefined;
  /**
   * Returns the facts that distinguish this chain from one started anew in its place.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE`
   */
  standing(): Promise<ChainStanding>;
  /**
   * Verifies a receipt from `signReceipt`, however old it is.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE`
   */
  verifyReceipt(receipt: unknown): Promise<ReceiptVerdict>;
}

const MINT_GAS = 200_000;

/**
 * Opens the chain for payments. A second start in the same data directory finds the same chain,
 * keys and token.
 *
 * @throws {AppError} `NOT_CONFIGURED`, `CONFIG_INVALID` naming the setting, the address and what
 *   was found there, `CHAIN_UNAVAILABLE`
 */
export async function openPaymentChain(options: PaymentChainOptions): Promise<NodePaymentChain> {
  const chain =
    options.kind === 'local' ? await openLocalChain(options) : await openRpcChain(options);
  try {
    const named = options.kind === 'local' ? {} : (options.contracts ?? {});
    const facts = await checkConfigured(chain, named);
    return paymentChain(chain, openToken(chain, facts), options.now);
  } catch (cause) {
    await chain.close();
    throw cause;
  }
}

function paymentChain(chain: OpenChain, token: Token, now: () => number): NodePaymentChain {
  const facts = factsOf(chain, token);
  const { rpc, isLocal, confirmations, finality } = chain;
  const history = transferHistory(chain);
  const parts = { rpc, token, history, isLocal, confirmations, finality };
  const aside = new SetAside(now);
  const lookUp: LookUp = (authorization) => lookUpAuthorization(parts, authorization);
  const isVouched = voucher(chain, facts);
  const { isByKey, balanceOf } = token;
  const settle = settler({ chain, lookUp, isVouched, isByKey, balanceOf });
  const checkLocally = localCheck(facts);
  const trust = freeing(nodeTrust({ chain, facts, lookUp, now }), aside);
  const signTransfer = transferSigner(chain, facts, now);
  const transfer: PaymentChain['transfer'] = async (order) =>
    transferOutcome(await settle(signTransfer(order)));
  const { own, mayBeOurs } = belonging({ ...parts, chain, transfer });
  return {
    facts,
    trust,
    nodePid: chain.nodePid,
    historyUrl: chain.historyUrl,
    standing: () => readStanding(chain),
    verifyReceipt: (receipt) => verifyReceipt({ chain, token, facts }, receipt),
    checkLocally,
    check: contractCheck(checkLocally, isVouched),
    checkOnChain: (payload) => checkOnChain({ chain, token, mayBeOurs, isVouched, aside }, payload),
    setFree: ({ payload: { authorization } }) => aside.free(authorization),
    settle: async ({ payload }) => {
      const { authorization } = payload;
      aside.hold(authorization);
      const outcome = await settledHere(own, authorization, await settle(payload));
      if (outcome.state !== 'unknown') aside.free(authorization);
      return outcome;
    },
    lookUp: async ({ payload: { authorization } }) => {
      const found = await own(authorization, await lookUp(authorization));
      if (found.state === 'settled' || found.state === 'failed') aside.free(authorization);
      return found;
    },
    transfer,
    ...offerReceiptSigner(chain.accounts.treasury, facts.network),
    balance: async (address) => (await token.balanceOf(address)).toString(),
    faucet: (to, amount) => faucet(chain, to, amount),
    close: () => {
      trust.close();
      return chain.close();
    },
  };
}

/** Releases the reservation of money that funded a job or that the escrow rejected. */
function freeing(trust: NodeTrust, aside: SetAside): NodeTrust {
  const fund: TrustChain['escrow']['fund'] = async (order) => {
    const outcome = await trust.escrow.fund(order);
    if (outcome.state !== 'unknown') aside.free(order.authorization);
    return outcome;
  };
  return { ...trust, escrow: { ...trust.escrow, fund } };
}

async function readStanding(chain: OpenChain): Promise<ChainStanding> {
  const { rpc, accounts, isLocal, born, journal } = chain;
  const [sent, first] = await Promise.all([
    rpc.call<Hex>('eth_getTransactionCount', [accounts.operator.address, 'latest']),
    isLocal
      ? null
      : rpc.call<{ readonly hash: Hex } | null>('eth_getBlockByNumber', ['0x0', false]),
  ]);
  const operator = accounts.operator.address;
  const own = journal.rows().filter(({ from }) => from === undefined);
  return {
    genesis: born ?? first?.hash ?? null,
    operator,
    sent: Number(sent),
    remembered: own.reduce((most, { nonce }) => Math.max(most, nonce + 1), 0),
    findSoldElsewhere: () => findSoldElsewhere(chain),
  };
}

function factsOf(chain: OpenChain, token: Token): ChainFacts {
  return {
    chainId: chain.chainId,
    network: `eip155:${chain.chainId}`,
    rpcUrl: chain.rpcUrl,
    token: token.address,
    tokenName: token.name,
    tokenVersion: token.version,
    treasury: chain.accounts.treasury.address,
    isLocal: chain.isLocal,
  };
}

/**
 * Checks the ownership of a settlement. Never throws: what cannot be checked now is unknown and
 * looked up later.
 */
async function settledHere(
  own: Belonging['own'],
  authorization: Authorization,
  outcome: TransferOutcome,
): Promise<TransferOutcome> {
  try {
    const found = await own(authorization, outcome);
    return found.state === 'unspent' ? outcome : found;
  } catch (thrown) {
    const transaction = outcome.state === 'settled' ? outcome.transaction : null;
    return { state: 'unknown', transaction, detail: toAppError(thrown).message };
  }
}

/** Creates the function that asks a payer's contract wallet whether it signed an authorization. */
function voucher(chain: OpenChain, facts: ChainFacts): SettleParts['isVouched'] {
  const { tokenName: name, tokenVersion: version, chainId, token } = facts;
  const digest = authorizationDigest({ name, version, chainId, token });
  const hasSigned = contractSigned(chain);
  return ({ authorization, signature }) =>
    hasSigned(authorization.from, digest(authorization), signature);
}

/** Creates the signer of treasury transfers. */
function transferSigner(
  { accounts: { treasury } }: OpenChain,
  facts: ChainFacts,
  now: () => number,
): (order: OperatorTransfer) => SignedAuthorization {
  const digest = authorizationDigest({
    name: facts.tokenName,
    version: facts.tokenVersion,
    chainId: facts.chainId,
    token: facts.token,
  });
  return (order) => {
    const authorization = transferAuthorization(order, treasury.address, now());
    return { authorization, signature: treasury.sign(digest(authorization)) };
  };
}

async function faucet(
  { relayer, rpc, token, isLocal, patience, gas }: OpenChain,
  to: string,
  amount: MicroUsdText,
): Promise<{ readonly transaction: string }> {
  if (!isLocal) {
    throw new AppError('NOT_CONFIGURED', { message: 'Only the local chain has a faucet.' });
  }
  if (!isAddress(to, { strict: false })) {
    throw new AppError('INPUT_INVALID', { message: '`to` must be 0x and 40 hex digits.' });
  }
  const args = [to, BigInt(amount)] as const;
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args });
  const name = `faucet:${to}:${randomUUID()}`;
  const fault = gas.hold({ name, purpose: 'faucet', gas: MINT_GAS, wei: 0n });
  if (fault !== undefined) throw new AppError(fault.code, fault);
  const sent = await relayer.send({ to: token, data, gas: BigInt(MINT_GAS) });
  const hash = sent.state === 'unsent' ? null : sent.hash;
  const receipt = hash === null ? undefined : await awaitReceipt(rpc, hash, patience);
  if (receipt !== undefined) gas.settle(name, gasSpent(receipt));
  if (receipt !== undefined && hasSucceeded(receipt)) {
    return { transaction: receipt.transactionHash };
  }
  throw new AppError('CHAIN_UNAVAILABLE', { data: { broadcast: sent.state } });
}
