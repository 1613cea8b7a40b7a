import type { Clock } from '../../domain/common/clock.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { ProofRecord } from '../../domain/proof/record.ts';
import { isJobRef, toPaymentId } from '../../domain/proof/refs.ts';
import type { ProofFile } from '../../domain/verification/proof-file.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import { networkOf } from '../http/address.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { TokenBuckets } from '../mcp/call/token-buckets.ts';
import {
  anchorClaim,
  coveringCheckpoint,
  inclusionProof,
  publishedCheckpoint,
  toBase64,
} from './published-checkpoint.ts';
import { PROOF_RECORDS_MAX, recordsReply } from './records.ts';
import { bytesReply, errorReply, jsonReply, readCount, readExactQuery } from './replies.ts';
import { tileReply } from './tiles.ts';

/** The base path of the proof log. */
export const PROOFS_PATH = '/v1/proofs/';
/** Read limit per network: a burst, and a rate per minute. */
export const PROOF_READS = { burst: 1_000, perMinute: 6_000 } as const;
/** Networks that the limiter tracks. It forgets the least recent one first. */
export const PROOF_READERS_MAX = 20_000;

const REF_CHARS_MAX = 200;
const PENDING_RETRY_S = 2;
const TEXT = 'text/plain; charset=utf-8';
/** Short cache time, because a new checkpoint replaces this one as the log grows. */
const SHORT_CACHE = 'public, max-age=5';
const DAY_CACHE = 'public, max-age=86400';
/** The assurance of a record: the log's key alone, or a chain anchor as well. */
const TIERS = { internal: 'internal', anchored: 'anchored' } as const;

const NO_ANCHOR = 'The log is not anchored on a chain.';

/** The dependencies of the proof routes. */
export interface ProofRouteDeps {
  readonly log: ProofLog;
  /** Public key of the log, as `name+id+key`. */
  readonly verifierKey: string;
  readonly clock: Clock;
  /** Returns why a record has no anchor yet. */
  anchorReason?(): string;
  /** Returns whether a payment exists that has settled or still may. */
  isComing(paymentId: string): Promise<boolean>;
}

/** Creates `GET /v1/proofs/…`: the proof log, open and free. */
export function proofRoutes(reads: ProofRouteDeps): readonly FrontRoute[] {
  const buckets = new TokenBuckets(PROOF_READS, PROOF_READERS_MAX);
  return [
    plainRoute(
      { methods: ['GET'], path: PROOFS_PATH, isPrefix: true, access: 'open' },
      async (request) => {
        const waitMs = buckets.take(networkOf(request.remoteAddress), reads.clock.now());
        if (waitMs > 0) return errorReply(new AppError('RATE_LIMITED'), waitMs);
        try {
          return await answerRead(reads, request);
        } catch (thrown) {
          return errorReply(toAppError(thrown));
        }
      },
    ),
  ];
}

async function answerRead(reads: ProofRouteDeps, { path, query }: HttpRequest): Promise<HttpReply> {
  const { log } = reads;
  const name = path.slice(PROOFS_PATH.length);
  const [head = '', ...rest] = name.split('/');
  if (head === 'records' && rest.length === 0) return recordsReply(log, query);
  if (head === 'inclusion' && rest.length === 0) return inclusionReply(log, query);
  if (head === 'consistency' && rest.length === 0) return consistencyReply(log, query);
  readExactQuery(query, []);
  if (head === 'settlement') return settlementReply(reads, rest.join('/'));
  if (name === 'checkpoint')
    return bytesReply(TEXT, (await publishedCheckpoint(log)).note, SHORT_CACHE);
  if (name === 'key') return bytesReply(TEXT, `${reads.verifierKey}\n`, DAY_CACHE);
  if (head === 'tile') return tileReply(log, rest.join('/'), (await publishedCheckpoint(log)).size);
  const [, seq] = /^([^/]+)\.json$/.exec(name) ?? [];
  if (seq !== undefined) return fileReply(reads, seq);
  throw new AppError('PROOF_UNKNOWN', {
    data: {
      received: path.slice(0, REF_CHARS_MAX),
      allowed: [
        ...['settlement/<ref>', 'checkpoint', 'key', 'tile/<L>/<N>', 'tile/entries/<N>'],
        ...[
          'inclusion?seq&size',
          'consistency?from&to',
          'records?ref',
          'records?limit&from',
          '<seq>.json',
        ],
      ],
    },
  });
}

async function settlementReply(reads: ProofRouteDeps, ref: string): Promise<HttpReply> {
  const { log } = reads;
  if (isJobRef(ref)) return jsonReply(200, await jobReply(reads, ref));
  const paymentId = toPaymentId(ref);
  if (paymentId === undefined) {
    throw new AppError('INPUT_INVALID', {
      message: 'A settlement reference must be set_ and 64 hex digits, or a job id.',
      data: {
        received: ref.slice(0, REF_CHARS_MAX),
        allowed: ['set_<64 hex digits>', 'job_<32 hex digits>'],
      },
    });
  }
  const records = log.find(ref, PROOF_RECORDS_MAX);
  const shared = { ref, rail: 'x402' };
  // A settlement is always recorded before its refund.
  const [first, refund] = records;
  if (first === undefined) {
    if (!(await reads.isComing(paymentId))) throw unknownProof(ref);
    const { headers = [], ...reply } = jsonReply(202, {
      ...shared,
      proof_tier: TIERS.internal,
      status: 'pending',
      records: [],
    });
    return { ...reply, headers: [...headers, 'retry-after', String(PENDING_RETRY_S)] };
  }
  const last = records.at(-1) ?? first;
  return jsonReply(200, {
    ...shared,
    status: refund === undefined ? 'settled' : 'refunded',
    records,
    ...(await collectEvidence(reads, { first: first.seq, last: last.seq })),
    proof_files: records.map(({ seq }) => `${PROOFS_PATH}${seq}.json`),
  });
}

/** Returns the settlement of a job: the deposit, and its release or refund. */
async function jobReply(reads: ProofRouteDeps, ref: string) {
  const { log } = reads;
  const records = log.find(ref, PROOF_RECORDS_MAX).filter(({ kind }) => kind === SETTLEMENT_KIND);
  const [first] = records;
  const last = records.at(-1);
  if (first === undefined || last === undefined) throw unknownProof(ref);
  // Records contain hashes only. The funding and outcome of a job are public anyway.
  const { event, funding } = log.payload(last.seq)?.payload ?? {};
  return {
    ref,
    rail: lookUpName(RAILS, funding),
    status: lookUpName(JOB_STATUS, event),
    records,
    ...(await collectEvidence(reads, { first: first.seq, last: last.seq })),
    proof_files: records.map(({ seq }) => `${PROOFS_PATH}${seq}.json`),
  };
}

const SETTLEMENT_KIND = 30020;
const RAILS: Readonly<Record<string, string>> = { escrow: 'escrow', on_release: 'x402' };
const JOB_STATUS: Readonly<Record<string, string>> = {
  escrowed: 'escrowed',
  released: 'settled',
  refunded: 'refunded',
};

/**
 * Returns the evidence for records: a checkpoint, an inclusion path, and an anchor if there is one.
 */
async function collectEvidence(
  reads: ProofRouteDeps,
  { first, last }: { readonly first: number; readonly last: number },
) {
  const { log } = reads;
  const { note, size } = await coveringCheckpoint(log, last);
  const anchor = anchorClaim(log, last, size);
  return {
    proof_tier: anchor === undefined ? TIERS.internal : TIERS.anchored,
    checkpoint: note,
    inclusion: inclusionProof(log, first, size),
    anchor: anchor ?? null,
    ...(anchor === undefined ? { anchor_reason: reads.anchorReason?.() ?? NO_ANCHOR } : {}),
  };
}

async function inclusionReply(log: ProofLog, query: string): Promise<HttpReply> {
  const asked = readExactQuery(query, ['seq', 'size']);
  const { size: newest } = await publishedCheckpoint(log);
  const size = readCount('size', asked.size, newest);
  if (size === 0) throw emptyLog(asked.seq);
  const seq = readCount('seq', asked.seq, size - 1);
  return jsonReply(200, inclusionProof(log, seq, size), DAY_CACHE);
}

async function consistencyReply(log: ProofLog, query: string): Promise<HttpReply> {
  const asked = readExactQuery(query, ['from', 'to']);
  const { size: newest } = await publishedCheckpoint(log);
  const to = readCount('to', asked.to, newest);
  const from = readCount('from', asked.from, to);
  return jsonReply(200, { from, to, path: toBase64(log.consistency(from, to)) }, DAY_CACHE);
}

async function fileReply(
  { log, verifierKey }: ProofRouteDeps,
  written: string,
): Promise<HttpReply> {
  if (log.size === 0) throw emptyLog(written);
  const seq = readCount('seq', written, Number.MAX_SAFE_INTEGER);
  const record: ProofRecord | undefined = log.record(seq);
  if (record === undefined || seq >= log.size) throw unknownProof(written);
  const { note, size } = await coveringCheckpoint(log, seq);
  const anchor = anchorClaim(log, seq, size);
  const file: ProofFile = {
    v: 1,
    record,
    inclusion: inclusionProof(log, seq, size),
    checkpoint: note,
    key: verifierKey,
    ...(anchor === undefined ? {} : { anchor }),
  };
  return jsonReply(200, file, SHORT_CACHE);
}

function unknownProof(received: string): AppError {
  return new AppError('PROOF_UNKNOWN', { data: { received: received.slice(0, REF_CHARS_MAX) } });
}

function emptyLog(received: string): AppError {
  return new AppError('PROOF_UNKNOWN', {
    message: 'The log has no records yet.',
    data: { received: received.slice(0, REF_CHARS_MAX) },
  });
}

function lookUpName(names: Readonly<Record<string, string>>, key: unknown): string {
  return (typeof key === 'string' ? names[key] : undefined) ?? 'unknown';
}
