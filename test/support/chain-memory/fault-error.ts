import { AppError } from '../../../src/domain/common/error.ts';
import type { PaymentFailure } from '../../../src/domain/payment/payment-chain.ts';

/** Creates the error for a fault. */
export function toError({ code, message, data }: PaymentFailure): AppError {
  return new AppError(code, { message, ...(data === undefined ? {} : { data }) });
}
