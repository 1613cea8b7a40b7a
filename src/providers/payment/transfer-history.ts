import type { Hex } from 'viem';
import { AppError } from '../../domain/common/error.ts';
import type { Authorization } from '../../domain/payment/payment.ts';
import type { TransferOutcome } from '../../domain/payment/payment-chain.ts';
import type { ArchivedTransaction } from '../chain/local/raw-archive.ts';
import type { OpenChain } from '../chain/open-chain.ts';
import { authorizationKey } from './authorization-key.ts';
import { isSameAddress } from './local-check.ts';
import { parseTransfer } from './parse-transfer.ts';

/** The stored history of transfers, beyond what the node knows. */
export interface TransferHistory {
  /** Returns recent transactions that carried the authorization with this key. */
  hashesOf(key: string): readonly string[];
  /** Returns the old transaction of an authorization whose block the node has pruned. */
  findArchived(authorization: Authorization): Promise<TransferOutcome | undefined>;
  /**
   * Stores a third party's transaction, so that a local chain that loses its last blocks can replay
   * it. Does nothing on a remote chain.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE` when the node does not return it
   */
  storeForeign(hash: Hex, key: string): Promise<void>;
}

/** Largest difference between the signing clock and a block's time, in seconds. */
const SLACK_S = 120;

interface SentTransaction {
  readonly from: Hex;
  readonly nonce: Hex;
  readonly blockNumber: Hex;
}

/** Creates the transfer history of a chain. */
export function createTransferHistory(chain: OpenChain): TransferHistory {
  const { archive, journal, rpc, token } = chain;
  return {
    hashesOf: journal.hashesOf,
    findArchived: async (authorization) => {
      const key = authorizationKey(authorization);
      const span = {
        fromS: Number(authorization.validAfter) - SLACK_S,
        toS: Number(authorization.validBefore) + SLACK_S,
      };
      const isIt = (row: ArchivedTransaction) =>
        row.ok && row.key === key && isTransferOf(row.raw, token, authorization);
      const found = await archive?.find(key, isIt, span);
      if (found === undefined) return undefined;
      return { state: 'settled', transaction: found.hash, block: found.block };
    },
    storeForeign: async (hash, key) => {
      if (archive === undefined || journal.hashesOf(key).includes(hash)) return;
      const [raw, sent] = await Promise.all([
        rpc.call<Hex | null>('eth_getRawTransactionByHash', [hash]),
        rpc.call<SentTransaction | null>('eth_getTransactionByHash', [hash]),
      ]);
      if (raw === null || sent === null) {
        throw new AppError('CHAIN_UNAVAILABLE', { data: { transaction: hash } });
      }
      const block = await rpc.call<{ readonly timestamp: Hex }>('eth_getBlockByNumber', [
        sent.blockNumber,
        false,
      ]);
      const { from, nonce } = sent;
      const atS = Number(block.timestamp);
      await journal.append([{ hash, raw, nonce: Number(nonce), atS, key, from }]);
    },
  };
}

/** Returns whether a transaction makes exactly this transfer on the token. */
function isTransferOf(raw: Hex, token: Hex, wanted: Authorization): boolean {
  const { to, authorization } = parseTransfer(raw) ?? {};
  return (
    to !== undefined &&
    authorization !== undefined &&
    isSameAddress(to, token) &&
    isSameAddress(authorization.to, wanted.to) &&
    authorization.value === wanted.value
  );
}
