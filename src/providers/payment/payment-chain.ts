import { randomUUID } from 'node:crypto';
import type { Hex } from 'viem';
import { encodeFunctionData, isAddress } from 'viem/utils';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import type { Authorization, PaymentPayload } from '../../domain/payment/payment.ts';
import type {
  ChainFacts,
  OperatorTransfer,
  PaymentChain,
  TransferOutcome,
} from '../../domain/payment/payment-chain.ts';
import { type AuthorizationLookup, lookUpAuthorization } from '../chain/authorization-lookup.ts';
import { checkConfigured } from '../chain/check-configured.ts';
import { authorizationDigest } from '../chain/digest.ts';
import { FundReservations } from '../chain/local/fund-reservations.ts';
import { type LocalChainOptions, openLocalChain } from '../chain/local/local-chain.ts';
import type { OpenChain } from '../chain/open-chain.ts';
import { createTransferAuthorization, toTransferOutcome } from '../chain/operator-transfer.ts';
import { createPaymentOwnership, type PaymentOwnership } from '../chain/payment-ownership.ts';
import { openRpcChain, type RpcChainOptions } from '../chain/rpc-chain.ts';
import { createNodeTrust, type NodeTrust } from '../chain/trust/node-trust.ts';
import { createWalletSignatureCheck } from '../chain/wallet-contract.ts';
import { checkOnChain } from './check-payment.ts';
import { type Facilitator, type FacilitatorOptions, openFacilitator } from './facilitator.ts';
import { findForeignSale } from './find-foreign-sale.ts';
import { createContractCheck, createLocalCheck } from './local-check.ts';
import { createOfferReceiptSigner } from './offer-receipt.ts';
import { awaitReceipt, hasSucceeded, toGasResult } from './receipts.ts';
import { createSettler, type SettleDeps, type SignedAuthorization } from './settle.ts';
import { createRemoteSettler } from './settle-remotely.ts';
import { createTokenClient, type Token } from './token.ts';
import { TOKEN_ABI } from './token-abi.ts';
import { createTransferHistory } from './transfer-history.ts';
import { type ReceiptVerdict, verifyReceipt } from './verify-receipt.ts';

/**
 * Selects the chain: an embedded one in the data directory, or a remote one; and who settles the
 * payments to this server: a remote facilitator if one is given, otherwise the server itself.
 */
export type PaymentChainOptions = (
  | ({ readonly kind: 'local' } & LocalChainOptions)
  | ({ readonly kind: 'rpc' } & RpcChainOptions)
) & { readonly facilitator?: FacilitatorOptions };

/** The identity and progress of a chain. */
export interface ChainIdentity {
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
  standing(): Promise<ChainIdentity>;
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
 *   was found there, `CHAIN_UNAVAILABLE`, `FACILITATOR_UNAVAILABLE`
 */
export async function openPaymentChain(options: PaymentChainOptions): Promise<NodePaymentChain> {
  const chain =
    options.kind === 'local' ? await openLocalChain(options) : await openRpcChain(options);
  try {
    const configuredAddresses = options.kind === 'local' ? {} : (options.contracts ?? {});
    const facts = await checkConfigured(chain, configuredAddresses);
    const facilitator =
      options.facilitator === undefined
        ? undefined
        : await openFacilitator(options.facilitator, toNetwork(chain.chainId));
    const token = createTokenClient(chain, facts);
    return createPaymentChain({ chain, token, facilitator, now: options.now });
  } catch (cause) {
    await chain.close();
    throw cause;
  }
}

interface PaymentChainParts {
  readonly chain: OpenChain;
  readonly token: Token;
  readonly facilitator: Facilitator | undefined;
  readonly now: () => number;
}

function createPaymentChain(parts: PaymentChainParts): NodePaymentChain {
  const { chain, token, facilitator, now } = parts;
  const facts = toChainFacts(chain, token, facilitator);
  const { rpc, isLocal, confirmations, finality } = chain;
  const history = createTransferHistory(chain);
  const lookUpDeps = { rpc, token, history, isLocal, confirmations, finality };
  const reservations = new FundReservations(now);
  const lookUp: AuthorizationLookup = (authorization) =>
    lookUpAuthorization(lookUpDeps, authorization);
  const isVouched = createWalletCheck(chain, facts);
  const { isByKey, balanceOf } = token;
  const settle = createSettler({
    chain,
    lookUp,
    isConfirmedByWallet: isVouched,
    isByKey,
    balanceOf,
  });
  const checkLocally = createLocalCheck(facts);
  const trust = releasingOnFund(createNodeTrust({ chain, facts, lookUp, now }), reservations);
  const signTransfer = createTransferSigner(chain, facts, now);
  const transfer: PaymentChain['transfer'] = async (order) =>
    toTransferOutcome(await settle(signTransfer(order)));
  const settlePayment =
    facilitator === undefined
      ? ({ payload }: PaymentPayload) => settle(payload)
      : createRemoteSettler({ facilitator, lookUp });
  const { requireOwn, isClaimable } = createPaymentOwnership({ ...lookUpDeps, chain, transfer });
  return {
    facts,
    trust,
    nodePid: chain.nodePid,
    historyUrl: chain.historyUrl,
    standing: () => readChainIdentity(chain),
    verifyReceipt: (receipt) => verifyReceipt({ chain, token, facts }, receipt),
    checkLocally,
    check: createContractCheck(checkLocally, isVouched),
    checkOnChain: (payload) =>
      checkOnChain(
        {
          chain,
          token,
          mayBeOurs: isClaimable,
          isConfirmedByWallet: isVouched,
          aside: reservations,
          lookUp,
          facilitator,
        },
        payload,
      ),
    releaseReservation: ({ payload: { authorization } }) => reservations.release(authorization),
    ...createSettlement({ settlePayment, requireOwn, lookUp, reservations }),
    transfer,
    ...createOfferReceiptSigner(chain.accounts.treasury, facts.network),
    balance: async (address) => (await token.balanceOf(address)).toString(),
    faucet: (to, amount) => mintFromFaucet(chain, to, amount),
    close: () => {
      trust.close();
      return chain.close();
    },
  };
}

interface SettlementParts {
  readonly settlePayment: PaymentChain['settle'];
  readonly requireOwn: PaymentOwnership['requireOwn'];
  readonly lookUp: AuthorizationLookup;
  readonly reservations: FundReservations;
}

/** Creates settlement and look-up of payments. They release money whose outcome is known. */
function createSettlement(parts: SettlementParts): Pick<PaymentChain, 'queryOutcome' | 'settle'> {
  const { settlePayment, requireOwn, lookUp, reservations } = parts;
  return {
    settle: async (payload) => {
      const { authorization } = payload.payload;
      reservations.hold(authorization);
      const settled = await settlePayment(payload);
      const outcome = await requireOwnSettlement(requireOwn, authorization, settled);
      if (outcome.state !== 'unknown') reservations.release(authorization);
      return outcome;
    },
    queryOutcome: async ({ payload: { authorization } }) => {
      const found = await requireOwn(authorization, await lookUp(authorization));
      if (found.state === 'settled' || found.state === 'failed')
        reservations.release(authorization);
      return found;
    },
  };
}

/** Releases the reservation of money that funded a job or that the escrow rejected. */
function releasingOnFund(trust: NodeTrust, aside: FundReservations): NodeTrust {
  const fund: TrustChain['escrow']['fund'] = async (order) => {
    const outcome = await trust.escrow.fund(order);
    if (outcome.state !== 'unknown') aside.release(order.authorization);
    return outcome;
  };
  return { ...trust, escrow: { ...trust.escrow, fund } };
}

async function readChainIdentity(chain: OpenChain): Promise<ChainIdentity> {
  const { rpc, accounts, isLocal, born, journal } = chain;
  const [sent, first] = await Promise.all([
    rpc.call<Hex>('eth_getTransactionCount', [accounts.operator.address, 'latest']),
    isLocal
      ? null
      : rpc.call<{ readonly hash: Hex } | null>('eth_getBlockByNumber', ['0x0', false]),
  ]);
  const operator = accounts.operator.address;
  const ownRows = journal.rows().filter(({ from }) => from === undefined);
  return {
    genesis: born ?? first?.hash ?? null,
    operator,
    sent: Number(sent),
    remembered: ownRows.reduce((most, { nonce }) => Math.max(most, nonce + 1), 0),
    findSoldElsewhere: () => findForeignSale(chain),
  };
}

function toNetwork(chainId: number): string {
  return `eip155:${chainId}`;
}

function toChainFacts(
  chain: OpenChain,
  token: Token,
  facilitator: Facilitator | undefined,
): ChainFacts {
  return {
    chainId: chain.chainId,
    network: toNetwork(chain.chainId),
    rpcUrl: chain.rpcUrl,
    token: token.address,
    tokenName: token.name,
    tokenVersion: token.version,
    treasury: chain.accounts.treasury.address,
    isLocal: chain.isLocal,
    ...(facilitator === undefined ? {} : { facilitatorExtra: facilitator.extra }),
  };
}

/**
 * Checks the ownership of a settlement. Never throws: what cannot be checked now is unknown and
 * looked up later.
 */
async function requireOwnSettlement(
  requireOwn: PaymentOwnership['requireOwn'],
  authorization: Authorization,
  outcome: TransferOutcome,
): Promise<TransferOutcome> {
  try {
    const found = await requireOwn(authorization, outcome);
    return found.state === 'unspent' ? outcome : found;
  } catch (thrown) {
    const transaction = outcome.state === 'settled' ? outcome.transaction : null;
    return { state: 'unknown', transaction, detail: toAppError(thrown).message };
  }
}

/** Creates the function that asks a payer's contract wallet whether it signed an authorization. */
function createWalletCheck(chain: OpenChain, facts: ChainFacts): SettleDeps['isConfirmedByWallet'] {
  const { tokenName: name, tokenVersion: version, chainId, token } = facts;
  const digest = authorizationDigest({ name, version, chainId, token });
  const hasSigned = createWalletSignatureCheck(chain);
  return ({ authorization, signature }) =>
    hasSigned(authorization.from, digest(authorization), signature);
}

function createTransferSigner(
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
    const authorization = createTransferAuthorization(order, treasury.address, now());
    return { authorization, signature: treasury.sign(digest(authorization)) };
  };
}

async function mintFromFaucet(
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
  if (receipt !== undefined) gas.settle(name, toGasResult(receipt));
  if (receipt !== undefined && hasSucceeded(receipt)) {
    return { transaction: receipt.transactionHash };
  }
  throw new AppError('CHAIN_UNAVAILABLE', { data: { broadcast: sent.state } });
}
