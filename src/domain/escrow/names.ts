import { hashJson, sha256Hex } from '../common/hash.ts';

const ID_DIGITS = 32;
const CAPABILITY_DIGITS = 8;
const BID_DIGITS = 12;
const BID_ID = new RegExp(`^bid_([0-9a-f]{${ID_DIGITS}})_[0-9a-f]{${BID_DIGITS}}$`);

/**
 * The id of a request: requests of one capability stand together. The same call gives the same id.
 *
 * @param call - Key of the call that posts it.
 */
export function requestIdOf(capabilityId: string, call: string): string {
  const rest = sha256Hex(`stoa request v1:${call}`).slice(0, ID_DIGITS - CAPABILITY_DIGITS);
  return `${requestPrefix(capabilityId)}${rest}`;
}

/** What the ids of all requests of a capability begin with. */
export function requestPrefix(capabilityId: string): string {
  return `req_${sha256Hex(`stoa capability v1:${capabilityId}`).slice(0, CAPABILITY_DIGITS)}`;
}

/** The id of a bid; it names its request. */
export function bidIdOf(requestId: string, call: string): string {
  const own = sha256Hex(`stoa bid v1:${call}`).slice(0, BID_DIGITS);
  return `bid_${requestId.replace('req_', '')}_${own}`;
}

/** The request of a bid; `undefined` for what is no id of a bid. */
export function requestOfBid(bidId: string): string | undefined {
  const [, request] = BID_ID.exec(bidId) ?? [];
  return request === undefined ? undefined : `req_${request}`;
}

/** What makes a job of a request: the bid that won, and how often one went unfunded before. */
export interface JobOrigin {
  readonly requestId: string;
  readonly bidId: string | null;
  readonly attempt: number;
}

/** What the terms in escrow name a job by: 32 bytes in hex. */
export function termsIdOf(origin: JobOrigin): string {
  return `0x${hashJson({ kind: 'stoa job v1', ...origin })}`;
}

/** The id of an escrowed job, from its key on the chain. */
export function jobIdOfKey(escrowKey: string): string {
  return `job_${escrowKey.slice(2, 2 + ID_DIGITS).toLowerCase()}`;
}

/** The id of a job that is paid on release. */
export function jobIdOfOrigin(origin: JobOrigin): string {
  return jobIdOfKey(termsIdOf(origin));
}
