import type { SettlementResponse } from '../../domain/payment/payment.ts';
import type { PaymentFault } from '../../domain/payment/payment-chain.ts';
import type { JobOrder, PresentedPayment, ToolResult } from '../../domain/tool/tool.ts';
import type { BoundCall } from './presented.ts';

/** A call that somebody pays for. */
export interface PaidCall extends BoundCall {
  readonly resourceUrl: string;
  readonly src?: string;
  /** The trace that the payment and its job belong to. */
  readonly trace?: string;
  /** Everything that was presented; more than one is refused. */
  readonly payments: readonly PresentedPayment[];
  /** Job tools: prepares the job. Called before any money moves; what it throws charges nothing. */
  order?(by: { readonly paymentId: string; readonly payer: string }): Promise<JobOrder>;
  /**
   * Inline tools: does the work, at most once at a time and once for good when it has answered.
   * Job tools: words the state of the job, on every call. Answers failures as error results.
   */
  run(paid: {
    readonly paymentId: string;
    /** In lower case. */
    readonly payer: string;
    readonly jobId?: string;
  }): Promise<ToolResult>;
  /**
   * Inline tools: does what the call leaves behind, once its payment has settled, and completes the
   * stored result. Every repeat of the call asks for it again.
   */
  finish?(
    paid: { readonly paymentId: string; readonly payer: string },
    result: ToolResult,
  ): Promise<ToolResult>;
}

/** What a payment leads to. `refused` charges nothing now, and says whether it may later. */
export type PaidAnswer =
  | {
      readonly kind: 'answered';
      readonly result: ToolResult;
      readonly settlement?: SettlementResponse;
    }
  | {
      readonly kind: 'refused';
      readonly fault: PaymentFault;
      readonly settlement?: SettlementResponse;
    };
