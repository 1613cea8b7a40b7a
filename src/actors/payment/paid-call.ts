import type { PaymentPayload, SettlementResponse } from '../../domain/payment/payment.ts';
import type { PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { JobOrder, PresentedPayment } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import type { BoundCall } from './presented-payment.ts';

/** What catalogues list of a sold resource, as a payment shows it to a facilitator. */
export type PaymentListing = Pick<PaymentPayload, 'resource' | 'extensions'>;

/** A call with the payment for it. */
export interface PaidCall extends BoundCall {
  readonly resourceUrl: string;
  /** Returns what a remote facilitator is shown, if payments are settled by one. */
  listing?(): PaymentListing;
  /** The payer may get the answer again by signing in, without this payment. */
  readonly isForSignIn?: boolean;
  readonly src?: string;
  /** Trace ID of the payment and its job. */
  readonly trace?: string;
  /** All presented payments. More than one is refused. */
  readonly payments: readonly PresentedPayment[];
  /** Id of the job that this payment orders, if the caller knows it already. Never used twice. */
  readonly jobId?: string;
  /** Job tools only: prepares the job before any money moves. If it throws, nothing is charged. */
  order?(by: { readonly paymentId: string; readonly payer: string }): Promise<JobOrder>;
  /**
   * Inline tools: runs the work, never twice at the same time, and never again once it returned.
   * Job tools: returns the state of the job, which exists by then, on every call. Failures are
   * returned as error results.
   */
  run(paid: {
    readonly paymentId: string;
    /** In lower case. */
    readonly payer: string;
    readonly jobId?: string;
  }): Promise<ToolResult>;
  /**
   * Inline tools only: runs the follow-up actions after settlement, and completes the stored
   * result. Called again on every repeat of the call.
   */
  finish?(
    paid: { readonly paymentId: string; readonly payer: string },
    result: ToolResult,
  ): Promise<ToolResult>;
}

/**
 * The outcome of a payment. With `refused`, nothing is charged now; `fault` says whether it may be
 * later.
 */
export type PaidAnswer =
  | {
      readonly kind: 'answered';
      readonly result: ToolResult;
      readonly settlement?: SettlementResponse;
    }
  | {
      readonly kind: 'refused';
      readonly fault: PaymentFailure;
      readonly settlement?: SettlementResponse;
    };
