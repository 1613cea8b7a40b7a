import { AppError, toAppError } from '../../../domain/error.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { ProofLog } from '../../../domain/ports/proof-log.ts';
import { toBase64 } from '../../../domain/proof/base64.ts';
import { parseCheckpoint } from '../../../domain/proof/checkpoint.ts';
import type { Hash } from '../../../domain/proof/merkle.ts';
import { parseNote } from '../../../domain/proof/note.ts';
import type { ProofRecord } from '../../../domain/proof/record.ts';
import { paymentOfSettlement } from '../../../domain/proof/refs.ts';
import type { ProofFile } from '../../../domain/verify/proof-file.ts';
import { type FrontRoute, plainRoute } from '../../front-route.ts';
import type { HttpReply, HttpRequest } from '../../http/host.ts';
import { TokenBuckets } from '../../mcp/token-buckets.ts';
import { bytes, json, readCount, readQuery, refusal } from './ask.ts';
import { tileReply } from './tiles.ts';

/** Where the reads of the log are. */
export const PROOFS_PATH = '/v1/proofs/';
/** Reads of one address: so many at once, and so many a minute. */
export const PROOF_READS = { burst: 1_000, perMinute: 6_000 } as const;
/** Addresses whose reads are counted; the one that asked longest ago goes first. */
export const PROOF_READERS_MAX = 20_000;
/** Most records that one answer lists. */
export const PROOF_RECORDS_MAX = 100;

const REF_CHARS_MAX = 200;
const PENDING_RETRY_S = 2;
const TEXT = 'text/plain; charset=utf-8';
/** A checkpoint is replaced as the log grows. */
const SHORT = 'public, max-age=5';
const DAY = 'public, max-age=86400';
/** Why no settlement has an anchor yet. */
const NO_ANCHOR = 'The log is not anchored on a chain.';

/** What the reads are answered from. */
export interface ProofReads {
  readonly log: ProofLog;
  /** Public key of the log, as `name+id+key`. */
  readonly verifierKey: string;
  readonly clock: Clock;
  /** Tells whether a payment is there that has settled, or still may. */
  isComing(paymentId: string): Promise<boolean>;
}

/** `GET /v1/proofs/…`: the log of proofs, open and free. */
export function proofRoutes(reads: ProofReads): readonly FrontRoute[] {
  const buckets = new TokenBuckets(PROOF_READS, PROOF_READERS_MAX);
  return [
    plainRoute(
      { methods: ['GET'], path: PROOFS_PATH, isPrefix: true, access: 'open' },
      async (request) => {
        const waitMs = buckets.take(request.remoteAddress, reads.clock.now());
        if (waitMs > 0) return refusal(new AppError('RATE_LIMITED'), waitMs);
        try {
          return await answer(reads, request);
        } catch (thrown) {
          return refusal(toAppError(thrown));
        }
      },
    ),
  ];
}

async function answer(reads: ProofReads, { path, query }: HttpRequest): Promise<HttpReply> {
  const { log } = reads;
  const name = path.slice(PROOFS_PATH.length);
  const [head = '', ...rest] = name.split('/');
  if (head === 'records' && rest.length === 0) return recordsReply(log, query);
  if (head === 'inclusion' && rest.length === 0) return inclusionReply(log, query);
  if (head === 'consistency' && rest.length === 0) return consistencyReply(log, query);
  readQuery(query, []);
  if (head === 'settlement') return settlementReply(reads, rest.join('/'));
  if (name === 'checkpoint') return bytes(TEXT, (await published(log)).note, SHORT);
  if (name === 'key') return bytes(TEXT, `${reads.verifierKey}\n`, DAY);
  if (head === 'tile') return tileReply(log, rest.join('/'), (await published(log)).size);
  const [, seq] = /^([^/]+)\.json$/.exec(name) ?? [];
  if (seq !== undefined) return fileReply(reads, seq);
  throw new AppError('PROOF_UNKNOWN', {
    data: {
      received: path.slice(0, REF_CHARS_MAX),
      allowed: [
        ...['settlement/<ref>', 'checkpoint', 'key', 'tile/<L>/<N>', 'tile/entries/<N>'],
        ...['inclusion?seq&size', 'consistency?from&to', 'records?ref', '<seq>.json'],
      ],
    },
  });
}

async function settlementReply(reads: ProofReads, ref: string): Promise<HttpReply> {
  const { log } = reads;
  const paymentId = paymentOfSettlement(ref);
  if (paymentId === undefined) {
    throw new AppError('INPUT_INVALID', {
      message: 'A settlement is named by set_ and 64 hex digits.',
      data: { received: ref.slice(0, REF_CHARS_MAX), allowed: 'set_<64 hex digits>' },
    });
  }
  const records = log.find(ref, PROOF_RECORDS_MAX);
  const shared = { ref, rail: 'x402', proof_tier: 'internal' };
  // A settlement is always recorded before its refund.
  const [first, refund] = records;
  if (first === undefined) {
    if (!(await reads.isComing(paymentId))) throw unknown(ref);
    const { headers = [], ...reply } = json(202, { ...shared, status: 'pending', records: [] });
    return { ...reply, headers: [...headers, 'retry-after', String(PENDING_RETRY_S)] };
  }
  const last = records.at(-1) ?? first;
  const { note, size } = await covering(log, last.seq);
  return json(200, {
    ...shared,
    status: refund === undefined ? 'settled' : 'refunded',
    records,
    checkpoint: note,
    inclusion: inclusionOf(log, first.seq, size),
    anchor: null,
    anchor_reason: NO_ANCHOR,
    proof_files: records.map(({ seq }) => `${PROOFS_PATH}${seq}.json`),
  });
}

function recordsReply(log: ProofLog, query: string): HttpReply {
  const { ref } = readQuery(query, ['ref']);
  if (ref.length === 0 || ref.length > REF_CHARS_MAX) {
    throw new AppError('INPUT_INVALID', {
      message: `ref has 1 to ${REF_CHARS_MAX} characters.`,
      data: { received: ref.length, allowed: `1 to ${REF_CHARS_MAX}` },
    });
  }
  return json(200, { ref, records: log.find(ref, PROOF_RECORDS_MAX) });
}

async function inclusionReply(log: ProofLog, query: string): Promise<HttpReply> {
  const asked = readQuery(query, ['seq', 'size']);
  const { size: newest } = await published(log);
  const size = readCount('size', asked.size, newest);
  if (size === 0) throw nothingIn(asked.seq);
  const seq = readCount('seq', asked.seq, size - 1);
  return json(200, inclusionOf(log, seq, size), DAY);
}

async function consistencyReply(log: ProofLog, query: string): Promise<HttpReply> {
  const asked = readQuery(query, ['from', 'to']);
  const { size: newest } = await published(log);
  const to = readCount('to', asked.to, newest);
  const from = readCount('from', asked.from, to);
  return json(200, { from, to, path: texts(log.consistency(from, to)) }, DAY);
}

async function fileReply({ log, verifierKey }: ProofReads, written: string): Promise<HttpReply> {
  if (log.size === 0) throw nothingIn(written);
  const seq = readCount('seq', written, Number.MAX_SAFE_INTEGER);
  const record: ProofRecord | undefined = log.record(seq);
  if (record === undefined || seq >= log.size) throw unknown(written);
  const { note, size } = await covering(log, seq);
  const file: ProofFile = {
    v: 1,
    record,
    inclusion: inclusionOf(log, seq, size),
    checkpoint: note,
    key: verifierKey,
  };
  return json(200, file, SHORT);
}

/** The newest signed checkpoint; an empty log gets its first one. */
async function published(log: ProofLog): Promise<{ note: string; size: number }> {
  const note = log.latestCheckpoint() ?? (await log.checkpoint());
  return { note, size: sizeOf(note) };
}

/** A checkpoint that covers a record. There are never more of them than records. */
async function covering(log: ProofLog, seq: number): Promise<{ note: string; size: number }> {
  const newest = await published(log);
  if (newest.size > seq) return newest;
  const note = await log.checkpoint();
  return { note, size: sizeOf(note) };
}

function sizeOf(note: string): number {
  const size = parseCheckpoint(parseNote(note)?.text ?? '')?.size;
  if (size === undefined) throw new AppError('INVARIANT', { message: 'a checkpoint has a size' });
  return size;
}

function inclusionOf(log: ProofLog, seq: number, size: number) {
  return { seq, size, path: texts(log.inclusion(seq, size)) };
}

function texts(hashes: readonly Hash[]): string[] {
  return hashes.map(toBase64);
}

function unknown(received: string): AppError {
  return new AppError('PROOF_UNKNOWN', { data: { received: received.slice(0, REF_CHARS_MAX) } });
}

function nothingIn(received: string): AppError {
  return new AppError('PROOF_UNKNOWN', {
    message: 'The log has no records yet.',
    data: { received: received.slice(0, REF_CHARS_MAX) },
  });
}
