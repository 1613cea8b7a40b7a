import type { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { HttpReply } from '../http/host.ts';
import { errorReply } from '../proof/replies.ts';

/** Delay before a client retries a payment that is not final, in seconds. */
const PENDING_RETRY_S = 2;

/** Builds the error reply, with `Retry-After` where the delay is known. */
export function refusalReply(error: AppError): HttpReply {
  const seconds = retryAfterS(error);
  return seconds === undefined ? errorReply(error) : errorReply(error, seconds * SECOND_MS);
}

function retryAfterS({ code, data }: AppError): number | undefined {
  if (code === 'PAYMENT_PENDING') return PENDING_RETRY_S;
  const { retry_after_s: seconds } = data;
  return code === 'RATE_LIMITED' && typeof seconds === 'number' ? seconds : undefined;
}
