import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { FeedbackOrder } from '../chain/trust-chain.ts';
import type { JsonObject } from '../common/json.ts';
import { parseEventData } from '../event/catalog.ts';
import type { PublicEvent } from '../event/event-log.ts';

/** The first tag of all feedback. The mean of its values is the share of good jobs, in percent. */
export const FEEDBACK_TAG = 'settledJob';
/** Path under which feedback files are served. */
export const FEEDBACK_PATH = '/a2a/feedback/';

/** How a job ended for its provider. It is the second tag. */
export type FeedbackOutcome = 'released' | 'disputeLost' | 'unfulfilled';

/** A job that gives or costs its provider points. Amounts in micro-dollars. */
export interface JudgedJob {
  readonly job: string;
  readonly outcome: FeedbackOutcome;
  readonly buyer: string;
  readonly provider: string;
  readonly funding: 'escrow' | 'on_release';
  readonly price: string;
  /** Zero unless the job was released. */
  readonly fee: string;
  /** RFC 3339. */
  readonly settledAt: string;
  /** Transaction that moved the money, and who got it; `null` if no money was held. */
  readonly payment: { readonly to: string; readonly transaction: string } | null;
}

/** Feedback with the file that its URI names. */
export interface FeedbackRow {
  readonly order: FeedbackOrder;
  /** The file, exactly as hashed. */
  readonly text: string;
  /** `null` until the chain has confirmed it. */
  readonly transaction: string | null;
}

/** Feedback files on disk, and the writer's position in the public feed. Writes are durable. */
export interface FeedbackStore {
  /** Cursor in the public feed up to which feedback is written; 0 initially. */
  readonly position: number;
  keepPosition(position: number): Promise<void>;
  get(job: string, outcome: string): FeedbackRow | undefined;
  put(job: string, outcome: string, row: FeedbackRow): Promise<void>;
}

/**
 * Returns the job that an event settles, if the reputation formula counts it for or against its
 * provider. Jobs that count for nothing get no feedback: self-dealing, nothing delivered, money
 * given back, or work that the provider never agreed to.
 */
export function judgeJob(event: PublicEvent): JudgedJob | undefined {
  const released = parseEventData(event, 'job.released');
  if (released !== undefined) {
    const { deliverable_sha256, fee, provider: to, transaction } = released;
    const isCounted = deliverable_sha256 !== null && released.buyer !== to;
    return isCounted
      ? describeJob(event, released, { outcome: 'released', fee, payment: { to, transaction } })
      : undefined;
  }
  const decided = parseEventData(event, 'job.decided');
  if (decided !== undefined) {
    const { buyer: to, transaction } = decided;
    return decided.upheld === 'buyer'
      ? describeJob(event, decided, { outcome: 'disputeLost', payment: { to, transaction } })
      : undefined;
  }
  const refunded = parseEventData(event, 'job.refunded');
  if (refunded !== undefined) {
    const { buyer: to, transaction } = refunded;
    return refunded.reason === 'unfulfilled' && refunded.bid_id !== null
      ? describeJob(event, refunded, { outcome: 'unfulfilled', payment: { to, transaction } })
      : undefined;
  }
  const lapsed = parseEventData(event, 'job.lapsed');
  return lapsed === undefined || lapsed.bid_id === null
    ? undefined
    : describeJob(event, lapsed, { outcome: 'unfulfilled', payment: null });
}

/** Where feedback is written, and from whom. */
export interface FeedbackPlace {
  readonly agentId: string;
  /** For example `eip155:31337:0x…`. */
  readonly agentRegistry: string;
  readonly chainId: number;
  /** The account that writes it. */
  readonly client: string;
  /** The account that pays providers and buyers: the escrow, or the treasury. */
  readonly payer: string;
  readonly baseUrl: string;
}

/** Builds the feedback about a job and its file (ERC-8004). */
export function buildFeedback(judged: JudgedJob, place: FeedbackPlace): FeedbackRow {
  const { job, outcome, payment, settledAt, ...terms } = judged;
  const { agentId, agentRegistry, baseUrl, chainId, client, payer } = place;
  const shared = {
    value: outcome === 'released' ? 100 : 0,
    valueDecimals: 0,
    tag1: FEEDBACK_TAG,
    tag2: outcome,
    endpoint: `${baseUrl}/a2a/jobs/${job}`,
  };
  const proofOfPayment = payment && {
    fromAddress: payer,
    toAddress: payment.to,
    chainId: String(chainId),
    txHash: payment.transaction,
  };
  const file: JsonObject = {
    agentRegistry,
    agentId: Number(agentId),
    clientAddress: `eip155:${chainId}:${client}`,
    createdAt: settledAt,
    ...shared,
    ...(proofOfPayment && { proofOfPayment }),
    job: { id: job, outcome, settledAt, ...terms },
  };
  const text = JSON.stringify(file);
  const order: FeedbackOrder = {
    key: `${job}:${outcome}`,
    agentId,
    ...shared,
    feedbackUri: `${baseUrl}${FEEDBACK_PATH}${job}/${outcome}.json`,
    feedbackHash: `0x${bytesToHex(keccak_256(utf8ToBytes(text)))}`,
  };
  return { order, text, transaction: null };
}

function describeJob(
  { ref: job, at: settledAt }: PublicEvent,
  { buyer, provider, funding, price }: Pick<JudgedJob, 'buyer' | 'provider' | 'funding' | 'price'>,
  ended: Pick<JudgedJob, 'outcome' | 'payment'> & { readonly fee?: string },
): JudgedJob {
  return { job, buyer, provider, funding, price, settledAt, fee: '0', ...ended };
}
