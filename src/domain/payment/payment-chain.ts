import type { ErrorCode } from '../common/error.ts';
import type { MicroUsdText } from '../common/money.ts';
import type { PaymentPayload, PaymentRequirements } from './payment.ts';

/** Where payments are made. */
export interface ChainFacts {
  readonly chainId: number;
  /** CAIP-2, such as `eip155:31337`. */
  readonly network: string;
  readonly rpcUrl: string;
  /** The stablecoin (six decimals, EIP-3009). */
  readonly token: string;
  readonly tokenName: string;
  readonly tokenVersion: string;
  /** Receives payments and sends refunds. */
  readonly treasury: string;
  readonly isLocal: boolean;
}

/** A check that failed, with its public code. */
export interface PaymentFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * What became of a transfer. `failed` is final: nobody can use its authorization any longer.
 * `unknown` must be asked again, never paid again.
 */
export type TransferOutcome =
  | { readonly state: 'settled'; readonly transaction: string; readonly block: number }
  | { readonly state: 'failed'; readonly fault: PaymentFault }
  | {
      readonly state: 'unknown';
      readonly transaction: string | null;
      readonly detail: string;
      /** Why the chain does not take it now, where it said so. It may still take it later. */
      readonly fault?: PaymentFault;
    };

/** A transfer that the operator makes. Equal tokens never pay twice. */
export interface OperatorTransfer {
  readonly to: string;
  readonly amount: MicroUsdText;
  /** Becomes the EIP-3009 nonce as keccak256 of the text: the chain itself refuses a repeat. */
  readonly token: string;
}

/**
 * The chain that payments live on. Faults come as values; only a broken chain throws
 * `CHAIN_UNAVAILABLE`, and `settle` and `transfer` answer `unknown` even then.
 */
export interface PaymentChain {
  readonly facts: ChainFacts;
  /**
   * Everything that needs no chain: network, asset, payee, amount, time window, signature.
   *
   * @param now - Milliseconds.
   */
  checkLocally(
    payload: PaymentPayload,
    offer: PaymentRequirements,
    now: number,
  ): PaymentFault | undefined;
  /**
   * As `checkLocally`; but a signature that is not the payer's key's, whatever its length, is shown
   * to the contract at the payer's address, if there is one (ERC-1271).
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE`, `OVERLOADED` when the contract cannot be asked
   */
  check(
    payload: PaymentPayload,
    offer: PaymentRequirements,
    now: number,
  ): Promise<PaymentFault | undefined>;
  /**
   * Balance, nonce and a trial of the transfer, one round trip. What passes has its amount set
   * aside, so that no other payment of the payer passes on the same money, until it is settled,
   * given up with `setFree`, or out of time.
   */
  checkOnChain(payload: PaymentPayload): Promise<PaymentFault | undefined>;
  /** Ends what `checkOnChain` set aside for a payment that will not be settled. */
  setFree(payload: PaymentPayload): void;
  /** Moves the authorized amount. Safe to repeat: the authorization's nonce is spent once. */
  settle(payload: PaymentPayload): Promise<TransferOutcome>;
  /** Finds out what became of an authorization, from the chain alone. */
  lookUp(payload: PaymentPayload): Promise<TransferOutcome | { readonly state: 'unspent' }>;
  /** Sends money from the treasury, once per token. */
  transfer(order: OperatorTransfer): Promise<TransferOutcome>;
  /** Signs an offer before payment (x402 offer-receipt, EIP-712). `validUntil`: milliseconds. */
  signOffer(offer: PaymentRequirements, resourceUrl: string, validUntil: number): Promise<unknown>;
  /** Signs a receipt for a settled payment, likewise. `issuedAt`: milliseconds. */
  signReceipt(receipt: {
    readonly resourceUrl: string;
    readonly payer: string;
    readonly transaction: string;
    readonly issuedAt: number;
  }): Promise<unknown>;
  /** Balance of an address in micro-dollars. */
  balance(address: string): Promise<MicroUsdText>;
  /** Gives test money. Only on the local chain; `NOT_CONFIGURED` elsewhere. */
  faucet(to: string, amount: MicroUsdText): Promise<{ readonly transaction: string }>;
  close(): Promise<void>;
}
