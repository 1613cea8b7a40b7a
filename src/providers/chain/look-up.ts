import type { Hex } from 'viem';
import { encodeEventTopics, numberToHex, pad } from 'viem/utils';
import type { Authorization } from '../../domain/payment/payment.ts';
import type { TransferOutcome } from '../../domain/payment/payment-chain.ts';
import { authorizationKey } from '../payment/authorization-key.ts';
import {
  type AuthorizationUse,
  confirmedBlock,
  readAuthorizationUse,
} from '../payment/authorization-use.ts';
import { isSameAddress } from '../payment/local-check.ts';
import {
  type ChainLog,
  hasSucceeded,
  isDeep,
  type Receipt,
  readReceipt,
} from '../payment/receipts.ts';
import type { Token } from '../payment/token.ts';
import { TOKEN_ABI } from '../payment/token-abi.ts';
import type { TransferHistory } from '../payment/transfer-history.ts';
import type { ChainRpc } from './chain-rpc.ts';
import { type Finality, finalOf } from './finality.ts';

/** The dependencies of a lookup. */
export interface LookUpParts {
  readonly rpc: ChainRpc;
  readonly token: Token;
  readonly history: TransferHistory;
  readonly isLocal: boolean;
  readonly confirmations: number;
  readonly finality: Pick<Finality, 'tell'>;
}

/** Finds the outcome of an authorization on the chain. */
export type LookUp = (
  authorization: Authorization,
) => Promise<TransferOutcome | { readonly state: 'unspent' }>;

/** Blocks per log query. Public nodes reject much larger ranges. */
const LOG_SPAN = 9_000n;
/** Ranges that are searched, newest first: about a day of 2-second blocks. */
const LOG_SPANS_MAX = 5;

/**
 * Finds the outcome of an authorization on the chain, whoever sent it. It is settled only if the
 * transaction that spent it moved the exact amount to the exact payee.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function lookUpAuthorization(
  parts: LookUpParts,
  authorization: Authorization,
): Promise<TransferOutcome | { readonly state: 'unspent' }> {
  const { rpc, token, history } = parts;
  const use = await readAuthorizationUse(rpc, token.address, authorization, blockTag(parts));
  if (!use.isUsed) return unused(parts, authorization, use);
  for (const hash of history.hashesOf(authorizationKey(authorization))) {
    const receipt = await readReceipt(rpc, hash as Hex);
    if (receipt !== undefined && isMoved(receipt, token, authorization)) {
      return settled(parts, receipt);
    }
  }
  return (await history.archived(authorization)) ?? searched(parts, authorization);
}

/** An embedded node makes blocks on demand, so only the pending block has the current time. */
function blockTag({ isLocal }: LookUpParts): string {
  return isLocal ? 'pending' : 'latest';
}

/**
 * Returns whether an unused authorization is expired or unspent. It has expired if it is unused in
 * a block after its deadline, since no later block can hold it. On a remote chain that block must
 * be deep enough that no other block replaces it.
 */
async function unused(
  parts: LookUpParts,
  authorization: Authorization,
  { blockS }: AuthorizationUse,
): Promise<TransferOutcome | { readonly state: 'unspent' }> {
  const { rpc, token, isLocal, confirmations } = parts;
  const hasEnded = (seconds: number) => BigInt(seconds) >= BigInt(authorization.validBefore);
  if (!hasEnded(blockS)) return { state: 'unspent' };
  if (!isLocal && confirmations > 1) {
    const block = await confirmedBlock(rpc, confirmations);
    const use = await readAuthorizationUse(rpc, token.address, authorization, block);
    if (use.isUsed || !hasEnded(use.blockS)) return { state: 'unspent' };
  }
  const message = 'The authorization expired unused.';
  return { state: 'failed', fault: { code: 'PAYMENT_EXPIRED', message } };
}

async function searched(
  parts: LookUpParts,
  authorization: Authorization,
): Promise<TransferOutcome> {
  const { rpc, token } = parts;
  let to = BigInt(await rpc.call<Hex>('eth_blockNumber', []));
  for (let span = 0; span < LOG_SPANS_MAX && to >= 0n; span += 1) {
    const from = to > LOG_SPAN ? to - LOG_SPAN : 0n;
    const logs = await rpc.call<readonly ChainLog[]>('eth_getLogs', [
      {
        address: token.address,
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
        topics: [[USED, CANCELED], word(authorization.from), word(authorization.nonce)],
      },
    ]);
    const [log] = logs;
    if (log !== undefined) return judged(parts, authorization, log);
    to = from - 1n;
  }
  return { state: 'unknown', transaction: null, detail: 'spent, in a block that was not searched' };
}

async function judged(
  parts: LookUpParts,
  authorization: Authorization,
  log: ChainLog,
): Promise<TransferOutcome> {
  const { rpc, token, history } = parts;
  const receipt = await readReceipt(rpc, log.transactionHash);
  if (receipt === undefined) {
    return { state: 'unknown', transaction: log.transactionHash, detail: 'no receipt yet' };
  }
  if (isMoved(receipt, token, authorization)) {
    await history.keep(log.transactionHash, authorizationKey(authorization));
    return settled(parts, receipt);
  }
  if (!(await isDeep(rpc, receipt, parts.confirmations))) {
    return { state: 'unknown', transaction: null, detail: 'its block is not deep enough' };
  }
  const message = 'The authorization was spent or cancelled without paying the amount.';
  return { state: 'failed', fault: { code: 'PAYMENT_REPLAYED', message } };
}

/** Returns whether a receipt holds the spent nonce, followed by the matching transfer. */
function isMoved(receipt: Receipt, token: Token, authorization: Authorization): boolean {
  if (!hasSucceeded(receipt)) return false;
  const logs = receipt.logs.filter((log) => isSameAddress(log.address, token.address));
  const used = logs.findIndex(
    ({ topics }) =>
      topics[0] === USED &&
      topics[1] === word(authorization.from) &&
      topics[2] === word(authorization.nonce),
  );
  const transfer = logs.slice(used + 1).find(({ topics }) => topics[0] === TRANSFER);
  return (
    used !== -1 &&
    transfer !== undefined &&
    transfer.topics[1] === word(authorization.from) &&
    transfer.topics[2] === word(authorization.to) &&
    BigInt(transfer.data) === BigInt(authorization.value)
  );
}

async function settled(
  { rpc, confirmations, finality }: LookUpParts,
  receipt: Receipt,
): Promise<TransferOutcome> {
  const { transactionHash, blockNumber } = receipt;
  if (await isDeep(rpc, receipt, confirmations)) {
    finality.tell(finalOf(receipt));
    return { state: 'settled', transaction: transactionHash, block: Number(blockNumber) };
  }
  return { state: 'unknown', transaction: transactionHash, detail: 'its block is not deep enough' };
}

function word(value: string): Hex {
  return pad(value.toLowerCase() as Hex);
}

const [USED] = encodeEventTopics({ abi: TOKEN_ABI, eventName: 'AuthorizationUsed' });
const [CANCELED] = encodeEventTopics({ abi: TOKEN_ABI, eventName: 'AuthorizationCanceled' });
const [TRANSFER] = encodeEventTopics({ abi: TOKEN_ABI, eventName: 'Transfer' });
