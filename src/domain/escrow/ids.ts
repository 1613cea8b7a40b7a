import { hashJson, sha256Hex } from '../common/hash.ts';

const ID_DIGITS = 32;
const CAPABILITY_DIGITS = 8;
const BID_DIGITS = 12;
const BID_ID = new RegExp(`^bid_([0-9a-f]{${ID_DIGITS}})_[0-9a-f]{${BID_DIGITS}}$`);

/**
 * Returns the id of a request; ids of one capability share a prefix. Idempotent per call.
 *
 * @param call - Key of the call that posts the request.
 */
export function createRequestId(capabilityId: string, call: string): string {
  const suffix = sha256Hex(`stoa request v1:${call}`).slice(0, ID_DIGITS - CAPABILITY_DIGITS);
  return `${requestIdPrefix(capabilityId)}${suffix}`;
}

/** Returns the common prefix of all request ids of a capability. */
export function requestIdPrefix(capabilityId: string): string {
  return `req_${sha256Hex(`stoa capability v1:${capabilityId}`).slice(0, CAPABILITY_DIGITS)}`;
}

/** Returns the id of a bid, which contains the id of its request. */
export function createBidId(requestId: string, call: string): string {
  const own = sha256Hex(`stoa bid v1:${call}`).slice(0, BID_DIGITS);
  return `bid_${requestId.replace('req_', '')}_${own}`;
}

/** Returns the request id of a bid, or `undefined` for an invalid bid id. */
export function parseRequestId(bidId: string): string | undefined {
  const [, request] = BID_ID.exec(bidId) ?? [];
  return request === undefined ? undefined : `req_${request}`;
}

/** Origin of a job: the request, the winning bid, and the number of earlier unfunded attempts. */
export interface JobOrigin {
  readonly requestId: string;
  readonly bidId: string | null;
  readonly attempt: number;
}

/** Returns the job id in the escrow terms: 32 bytes in hex. */
export function createTermsId(origin: JobOrigin): string {
  return `0x${hashJson({ kind: 'stoa job v1', ...origin })}`;
}

/** Returns the id of an escrowed job from its key on the chain. */
export function jobIdFromKey(escrowKey: string): string {
  return `job_${escrowKey.slice(2, 2 + ID_DIGITS).toLowerCase()}`;
}

/** Returns the id of a job that is paid on release. */
export function jobIdFromOrigin(origin: JobOrigin): string {
  return jobIdFromKey(createTermsId(origin));
}
