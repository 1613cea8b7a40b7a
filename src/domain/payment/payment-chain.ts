import type { ErrorCode } from '../common/error.ts';
import type { MicroUsdText } from '../common/money.ts';
import type { PaymentPayload, PaymentRequirements } from './payment.ts';

/** Facts of the payment chain. */
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
  /** Only with a remote facilitator: what it wants in `extra` of payment requirements. */
  readonly facilitatorExtra?: Readonly<Record<string, unknown>>;
}

/** A failed check with its public error code. */
export interface PaymentFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Outcome of a transfer. `failed` is final: the authorization can no longer be used. After
 * `unknown`, query again but never pay again.
 */
export type TransferOutcome =
  | { readonly state: 'settled'; readonly transaction: string; readonly block: number }
  | { readonly state: 'failed'; readonly fault: PaymentFailure }
  | {
      readonly state: 'unknown';
      readonly transaction: string | null;
      readonly detail: string;
      /**
       * Current rejection by the chain, if reported. The chain may still accept the transfer later.
       */
      readonly fault?: PaymentFailure;
    };

/** A transfer by the operator. Equal tokens never pay twice. */
export interface OperatorTransfer {
  readonly to: string;
  readonly amount: MicroUsdText;
  /** Its keccak256 hash becomes the EIP-3009 nonce, so that the chain rejects a repeat. */
  readonly token: string;
}

/**
 * The payment chain. Failures are returned as values; only an unreachable chain throws
 * `CHAIN_UNAVAILABLE`. Even then, `settle` and `transfer` return `unknown`.
 */
export interface PaymentChain {
  readonly facts: ChainFacts;
  /**
   * Checks everything that needs no chain access: network, asset, payee, amount, time window and
   * signature.
   *
   * @param now - Milliseconds since 1970.
   */
  checkLocally(
    payload: PaymentPayload,
    offer: PaymentRequirements,
    now: number,
  ): PaymentFailure | undefined;
  /**
   * Like `checkLocally`, but passes a signature that does not match the payer's key to the contract
   * at the payer's address, if any (ERC-1271).
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE`, `OVERLOADED` if the contract cannot be called
   */
  check(
    payload: PaymentPayload,
    offer: PaymentRequirements,
    now: number,
  ): Promise<PaymentFailure | undefined>;
  /**
   * Checks balance and nonce and simulates the transfer, in one round trip. A passing payment
   * reserves its amount, so that no other payment of the payer can use it. The reservation ends on
   * settlement, `releaseReservation` or timeout. A remote facilitator is asked as well.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE`, `FACILITATOR_UNAVAILABLE`
   */
  checkOnChain(payload: PaymentPayload): Promise<PaymentFailure | undefined>;
  /** Releases the reservation of a payment that will not be settled. */
  releaseReservation(payload: PaymentPayload): void;
  /**
   * Transfers the authorized amount, through the remote facilitator if there is one. Idempotent:
   * the nonce can be used only once.
   */
  settle(payload: PaymentPayload): Promise<TransferOutcome>;
  /** Determines the outcome of an authorization from the chain alone. */
  queryOutcome(payload: PaymentPayload): Promise<TransferOutcome | { readonly state: 'unspent' }>;
  /** Sends money from the treasury, once per token. */
  transfer(order: OperatorTransfer): Promise<TransferOutcome>;
  /**
   * Signs an offer before payment (x402 offer-receipt, EIP-712). `validUntil` is in milliseconds.
   */
  signOffer(offer: PaymentRequirements, resourceUrl: string, validUntil: number): Promise<unknown>;
  /** Signs the receipt of a settled payment. `issuedAt` is in milliseconds. */
  signReceipt(receipt: {
    readonly resourceUrl: string;
    readonly payer: string;
    readonly transaction: string;
    readonly issuedAt: number;
  }): Promise<unknown>;
  /** Returns the balance of an address in micro-dollars. */
  balance(address: string): Promise<MicroUsdText>;
  /** Sends test money on the local chain; `NOT_CONFIGURED` elsewhere. */
  faucet(to: string, amount: MicroUsdText): Promise<{ readonly transaction: string }>;
  close(): Promise<void>;
}
