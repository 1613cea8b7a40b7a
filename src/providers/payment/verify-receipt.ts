import type { Hex } from 'viem';
import { hexToBytes, keccak256 } from 'viem/utils';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { SignedReceipt } from '../../domain/payment/offer-receipt.ts';
import type { ChainFacts } from '../../domain/payment/payment-chain.ts';
import { invalidVerdict } from '../../domain/verification/invalid-verdict.ts';
import type { RawTransaction } from '../chain/local/raw-journal.ts';
import type { OpenChain } from '../chain/open-chain.ts';
import { recoverSigner } from '../chain/signature.ts';
import { isSameAddress } from './local-check.ts';
import { loadExtension } from './offer-receipt.ts';
import { parseTransfer } from './parse-transfer.ts';
import type { Token } from './token.ts';

/** The result of verifying a receipt. */
export type ReceiptVerdict =
  | {
      readonly isValid: true;
      readonly payer: string;
      /** In micro-dollars. */
      readonly amount: string;
      /** The signed transaction that moved the money. */
      readonly raw: Hex;
    }
  | { readonly isValid: false; readonly reason: string };

/** The dependencies of receipt verification. */
export interface ReceiptVerificationDeps {
  readonly chain: OpenChain;
  readonly token: Token;
  readonly facts: ChainFacts;
}

/** Usual time between settlement and receipt. A settlement that was looked up may take longer. */
const SETTLEMENT_DELAY_S = MINUTE_MS / SECOND_MS;

/**
 * Verifies a receipt of this service, of any age. The treasury must have signed it, its transaction
 * must pay the treasury for that payer, and the authorization must be spent on the chain. The
 * transaction is read from storage or from the node and proved by its hash.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE`
 */
export async function verifyReceipt(
  { chain, token, facts }: ReceiptVerificationDeps,
  receipt: unknown,
): Promise<ReceiptVerdict> {
  const parsed = SignedReceipt.safeParse(receipt);
  if (!parsed.success) return invalidVerdict('it is malformed');
  const { payload, signature } = parsed.data;
  const { hashReceiptTypedData } = await loadExtension();
  const signer = recoverSigner(hexToBytes(hashReceiptTypedData(payload)), signature);
  if (signer === undefined || !isSameAddress(signer, facts.treasury)) {
    return invalidVerdict('the treasury did not sign it');
  }
  const raw = await readRawTransaction(chain, payload.transaction, payload.issuedAt);
  if (raw === undefined) return invalidVerdict('its transaction is no longer stored');
  if (keccak256(raw) !== payload.transaction)
    return invalidVerdict('the stored transaction differs');
  const { to, authorization } = parseTransfer(raw) ?? {};
  if (authorization === undefined)
    return invalidVerdict('its transaction settles no authorization');
  const { from, nonce, value } = authorization;
  const isPaid =
    isSameAddress(to ?? '', token.address) &&
    isSameAddress(authorization.to, facts.treasury) &&
    isSameAddress(from, payload.payer);
  if (!isPaid) return invalidVerdict('its transaction has a different payer or payee');
  if (!(await token.isSpent(from, nonce)))
    return invalidVerdict('the chain does not know the payment');
  return { isValid: true, payer: payload.payer, amount: value, raw };
}

async function readRawTransaction(
  { archive, journal, rpc }: OpenChain,
  hash: Hex,
  issuedAtS: number,
): Promise<Hex | undefined> {
  const isIt = (row: RawTransaction) => row.hash === hash;
  const near = { fromS: issuedAtS - SETTLEMENT_DELAY_S, toS: issuedAtS + SETTLEMENT_DELAY_S };
  const kept =
    journal.rows().find(isIt) ??
    (await archive?.find(hash, isIt, near)) ??
    (await archive?.find(hash, isIt));
  if (kept !== undefined) return kept.raw;
  return (await rpc.call<Hex | null>('eth_getRawTransactionByHash', [hash])) ?? undefined;
}
