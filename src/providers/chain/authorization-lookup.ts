import type { Hex } from 'viem';
import { encodeEventTopics, numberToHex, pad } from 'viem/utils';
import type { Authorization } from '../../domain/payment/payment.ts';
import type { TransferOutcome } from '../../domain/payment/payment-chain.ts';
import { authorizationKey } from '../payment/authorization-key.ts';
import {
  type AuthorizationState,
  readAuthorizationState,
  readConfirmedBlock,
} from '../payment/authorization-use.ts';
import { isSameAddress } from '../payment/local-check.ts';
import {
  type ChainLog,
  hasConfirmations,
  hasSucceeded,
  type Receipt,
  readReceipt,
} from '../payment/receipts.ts';
import type { Token } from '../payment/token.ts';
import { TOKEN_ABI } from '../payment/token-abi.ts';
import type { TransferHistory } from '../payment/transfer-history.ts';
import type { ChainRpc } from './chain-rpc.ts';
import { type FinalityMonitor, toFinalTransaction } from './finality.ts';

/** The dependencies of a lookup. */
export interface AuthorizationLookupDeps {
  readonly rpc: ChainRpc;
  readonly token: Token;
  readonly history: TransferHistory;
  readonly isLocal: boolean;
  readonly confirmations: number;
  readonly finality: Pick<FinalityMonitor, 'report'>;
}

/** Finds the outcome of an authorization on the chain. */
export type AuthorizationLookup = (
  authorization: Authorization,
) => Promise<TransferOutcome | { readonly state: 'unspent' }>;

/** Blocks per log query. Public nodes reject much larger ranges. */
const LOG_RANGE_BLOCKS = 9_000n;
/** Ranges that are searched, newest first: about a day of 2-second blocks. */
const LOG_RANGES_MAX = 5;

/**
 * Finds the outcome of an authorization on the chain, whoever sent it. It is settled only if the
 * transaction that spent it moved the exact amount to the exact payee.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function lookUpAuthorization(
  parts: AuthorizationLookupDeps,
  authorization: Authorization,
): Promise<TransferOutcome | { readonly state: 'unspent' }> {
  const { rpc, token, history } = parts;
  const use = await readAuthorizationState(rpc, token.address, authorization, blockTag(parts));
  if (!use.isUsed) return resolveUnused(parts, authorization, use);
  for (const hash of history.hashesOf(authorizationKey(authorization))) {
    const receipt = await readReceipt(rpc, hash as Hex);
    if (receipt !== undefined && hasTransfer(receipt, token, authorization)) {
      return resolveSettled(parts, receipt);
    }
  }
  return (await history.findArchived(authorization)) ?? searchLogs(parts, authorization);
}

/** An embedded node makes blocks on demand, so only the pending block has the current time. */
function blockTag({ isLocal }: AuthorizationLookupDeps): string {
  return isLocal ? 'pending' : 'latest';
}

/**
 * Returns whether an unused authorization is expired or unspent. It has expired if it is unused in
 * a block after its deadline, since no later block can hold it. On a remote chain that block must
 * be deep enough that no other block replaces it.
 */
async function resolveUnused(
  parts: AuthorizationLookupDeps,
  authorization: Authorization,
  { blockS }: AuthorizationState,
): Promise<TransferOutcome | { readonly state: 'unspent' }> {
  const { rpc, token, isLocal, confirmations } = parts;
  const hasEnded = (seconds: number) => BigInt(seconds) >= BigInt(authorization.validBefore);
  if (!hasEnded(blockS)) return { state: 'unspent' };
  if (!isLocal && confirmations > 1) {
    const block = await readConfirmedBlock(rpc, confirmations);
    const use = await readAuthorizationState(rpc, token.address, authorization, block);
    if (use.isUsed || !hasEnded(use.blockS)) return { state: 'unspent' };
  }
  const message = 'The authorization expired unused.';
  return { state: 'failed', fault: { code: 'PAYMENT_EXPIRED', message } };
}

async function searchLogs(
  parts: AuthorizationLookupDeps,
  authorization: Authorization,
): Promise<TransferOutcome> {
  const { rpc, token } = parts;
  let to = BigInt(await rpc.call<Hex>('eth_blockNumber', []));
  for (let span = 0; span < LOG_RANGES_MAX && to >= 0n; span += 1) {
    const from = to > LOG_RANGE_BLOCKS ? to - LOG_RANGE_BLOCKS : 0n;
    const logs = await rpc.call<readonly ChainLog[]>('eth_getLogs', [
      {
        address: token.address,
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
        topics: [
          [USED_TOPIC, CANCELED_TOPIC],
          toTopic(authorization.from),
          toTopic(authorization.nonce),
        ],
      },
    ]);
    const [log] = logs;
    if (log !== undefined) return resolveFromLog(parts, authorization, log);
    to = from - 1n;
  }
  return { state: 'unknown', transaction: null, detail: 'spent, in a block that was not searched' };
}

async function resolveFromLog(
  parts: AuthorizationLookupDeps,
  authorization: Authorization,
  log: ChainLog,
): Promise<TransferOutcome> {
  const { rpc, token, history } = parts;
  const receipt = await readReceipt(rpc, log.transactionHash);
  if (receipt === undefined) {
    return { state: 'unknown', transaction: log.transactionHash, detail: 'no receipt yet' };
  }
  if (hasTransfer(receipt, token, authorization)) {
    await history.storeForeign(log.transactionHash, authorizationKey(authorization));
    return resolveSettled(parts, receipt);
  }
  if (!(await hasConfirmations(rpc, receipt, parts.confirmations))) {
    return { state: 'unknown', transaction: null, detail: 'its block is not deep enough' };
  }
  const message = 'The authorization was spent or cancelled without paying the amount.';
  return { state: 'failed', fault: { code: 'PAYMENT_REPLAYED', message } };
}

/** Returns whether a receipt holds the spent nonce, followed by the matching transfer. */
function hasTransfer(receipt: Receipt, token: Token, authorization: Authorization): boolean {
  if (!hasSucceeded(receipt)) return false;
  const logs = receipt.logs.filter((log) => isSameAddress(log.address, token.address));
  const used = logs.findIndex(
    ({ topics }) =>
      topics[0] === USED_TOPIC &&
      topics[1] === toTopic(authorization.from) &&
      topics[2] === toTopic(authorization.nonce),
  );
  const transfer = logs.slice(used + 1).find(({ topics }) => topics[0] === TRANSFER_TOPIC);
  return (
    used !== -1 &&
    transfer !== undefined &&
    transfer.topics[1] === toTopic(authorization.from) &&
    transfer.topics[2] === toTopic(authorization.to) &&
    BigInt(transfer.data) === BigInt(authorization.value)
  );
}

async function resolveSettled(
  { rpc, confirmations, finality }: AuthorizationLookupDeps,
  receipt: Receipt,
): Promise<TransferOutcome> {
  const { transactionHash, blockNumber } = receipt;
  if (await hasConfirmations(rpc, receipt, confirmations)) {
    finality.report(toFinalTransaction(receipt));
    return { state: 'settled', transaction: transactionHash, block: Number(blockNumber) };
  }
  return { state: 'unknown', transaction: transactionHash, detail: 'its block is not deep enough' };
}

function toTopic(value: string): Hex {
  return pad(value.toLowerCase() as Hex);
}

const [USED_TOPIC] = encodeEventTopics({ abi: TOKEN_ABI, eventName: 'AuthorizationUsed' });
const [CANCELED_TOPIC] = encodeEventTopics({ abi: TOKEN_ABI, eventName: 'AuthorizationCanceled' });
const [TRANSFER_TOPIC] = encodeEventTopics({ abi: TOKEN_ABI, eventName: 'Transfer' });
