import { readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { fromBase64 } from '../../domain/proof/base64.ts';
import type { Hash } from '../../domain/proof/merkle.ts';
import {
  buildCosignedText,
  encodeCosignature,
  formatNote,
  parseVerifierKey,
} from '../../domain/proof/note.ts';
import { judgeCheckpoint, type WitnessVerdict } from '../../domain/verification/witness.ts';
import { withLock } from '../server/file-lock.ts';
import { verifyEd25519 } from './proof-keys.ts';
import { readSeen, type SeenLog, type WitnessKey, writeSynced } from './witness-files.ts';

const ANSWER_TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 1_048_576;
/** Attempts while other processes with the same key may have stored newer checkpoints. */
const ATTEMPTS_MAX = 8;

/** The inputs of a witness. */
export interface WitnessDeps {
  /** Base URL of the server with the log, without a path. */
  readonly log: string;
  readonly key: WitnessKey;
  /** The file with the checkpoints seen so far. */
  readonly seenPath: string;
  /**
   * The log's key, if known from another source. Otherwise the key of the first visit is pinned.
   */
  readonly logKey: string | undefined;
  readonly now: () => number;
}

/** The result of one round. */
export type WitnessResult =
  | { readonly state: 'cosigned'; readonly size: number }
  | { readonly state: 'forked'; readonly reason: string; readonly evidence: string };

/**
 * Checks a log once: its checkpoint must extend everything seen of it before. Then stores, cosigns
 * and submits it. A log is identified by its key, which includes its origin, wherever it is served.
 * A forked log gets no signature, and both versions are stored. Several processes may share a key.
 *
 * @throws {AppError} `SERVER_UNREACHABLE`, `PROOF_UNKNOWN` for an invalid log reply,
 * `CONFIG_INVALID` when the address had another key before, `OVERLOADED` when other processes with
 * the key kept storing newer checkpoints
 */
export async function witnessOnce(parts: WitnessDeps): Promise<WitnessResult> {
  const { log, key, seenPath, now } = parts;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const all = readSeen(seenPath);
    const logKey = await pinKey(parts, all[log]);
    const stories = listSeen(all, logKey);
    const written = await fetchText(`${log}/v1/proofs/checkpoint`);
    const [verdict, against] = await judgeAll(parts, { logKey, seenBefore: stories, written });
    if (verdict.state === 'unreadable') throw invalidLogError(verdict.reason);
    if (verdict.state === 'forked') {
      const evidence = `${seenPath}.fork-${now()}.json`;
      writeSynced(evidence, { log, reason: verdict.reason, seen: against, shown: written });
      return { state: 'forked', reason: verdict.reason, evidence };
    }
    const { text, checkpoint } = verdict;
    const root = Buffer.from(checkpoint.root).toString('hex');
    const seen: SeenLog = { key: logKey, size: checkpoint.size, root, note: written };
    if (!(await storeIfUnchanged(parts, seen, stories))) continue;
    await submitCosignature(log, cosign(key, text, now()));
    return { state: 'cosigned', size: checkpoint.size };
  }
  throw new AppError('OVERLOADED', {
    message: `Other witnesses with this key stored newer checkpoints in ${ATTEMPTS_MAX} attempts.`,
  });
}

/** Returns what was seen of a log, at all of its addresses. */
function listSeen(all: Readonly<Record<string, SeenLog>>, logKey: string): readonly SeenLog[] {
  return Object.values(all).filter((seen) => seen.key === logKey);
}

interface LogClaim {
  readonly logKey: string;
  readonly seenBefore: readonly SeenLog[];
  readonly written: string;
}

/**
 * Checks a checkpoint against everything seen. Returns the verdict, and the first contradiction.
 */
async function judgeAll(
  { log }: WitnessDeps,
  { logKey, seenBefore, written }: LogClaim,
): Promise<readonly [WitnessVerdict, SeenLog | undefined]> {
  const judgeBy = (story: SeenLog | undefined): Promise<WitnessVerdict> =>
    judgeCheckpoint({
      key: logKey,
      lastSeen:
        story === undefined
          ? undefined
          : { size: story.size, root: Buffer.from(story.root, 'hex') },
      noteText: written,
      verify: verifyEd25519,
      consistency: (from, to) => fetchConsistency(log, from, to),
    });
  const first = await judgeBy(seenBefore[0]);
  if (first.state !== 'consistent') return [first, seenBefore[0]];
  for (const story of seenBefore.slice(1)) {
    const verdict = await judgeBy(story);
    if (verdict.state !== 'consistent') return [verdict, story];
  }
  return [first, undefined];
}

/** Stores a checkpoint, unless the file has changed since the verdict. Returns whether it did. */
function storeIfUnchanged(
  { log, seenPath }: WitnessDeps,
  seen: SeenLog,
  judgedBy: readonly SeenLog[],
) {
  return withLock(seenPath, () => {
    const all = readSeen(seenPath);
    const isSame = JSON.stringify(listSeen(all, seen.key)) === JSON.stringify(judgedBy);
    const known = all[log];
    if (!isSame || (known !== undefined && known.key !== seen.key)) return false;
    // A smaller log is a prefix of the one seen, so the newer one stays.
    if (known === undefined || seen.size >= known.size) {
      writeSynced(seenPath, { ...all, [log]: seen });
    }
    return true;
  });
}

function cosign({ key, sign }: WitnessKey, text: string, nowMs: number): string {
  const atS = Math.floor(nowMs / SECOND_MS);
  const signature = encodeCosignature(atS, sign(buildCosignedText(text, atS)));
  return formatNote({ text, signatures: [{ name: key.name, keyId: key.keyId, signature }] });
}

async function pinKey({ log, logKey }: WitnessDeps, known: SeenLog | undefined): Promise<string> {
  const shown = (await fetchText(`${log}/v1/proofs/key`)).trim();
  const pinned = logKey ?? known?.key ?? shown;
  if (parseVerifierKey(shown) === undefined) throw invalidLogError('it publishes no key');
  if (shown === pinned && (known === undefined || known.key === pinned)) return pinned;
  throw new AppError('CONFIG_INVALID', {
    message: 'The log’s key differs from the one that this witness has pinned.',
    data: { received: shown, allowed: known?.key ?? pinned },
  });
}

async function fetchConsistency(
  log: string,
  from: number,
  to: number,
): Promise<readonly Hash[] | undefined> {
  const answer = await fetchUncached(`${log}/v1/proofs/consistency?from=${from}&to=${to}`);
  if (!answer.ok) return undefined;
  const { path } = tryJson(await readReplyBody(answer)) as { path?: unknown };
  if (!Array.isArray(path)) return undefined;
  const hashes = path.map((text: unknown) =>
    typeof text === 'string' ? fromBase64(text) : undefined,
  );
  return hashes.every((hash) => hash !== undefined) ? (hashes as readonly Hash[]) : undefined;
}

async function submitCosignature(log: string, note: string): Promise<void> {
  const answer = await fetchLog(`${log}/v1/proofs/cosignatures`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: note,
  });
  const body = await readReplyBody(answer);
  if (answer.ok) return;
  throw new AppError('FORBIDDEN', {
    message: 'The log rejected the cosignature.',
    data: { status: answer.status, answer: body.slice(0, 500) },
  });
}

async function fetchText(url: string): Promise<string> {
  const answer = await fetchUncached(url);
  const body = await readReplyBody(answer);
  if (answer.ok) return body;
  throw invalidLogError(`${url} returned HTTP ${answer.status}`);
}

function fetchUncached(url: string): Promise<Response> {
  return fetchLog(url, { headers: { 'cache-control': 'no-cache' } });
}

async function fetchLog(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  } catch (cause) {
    throw new AppError('SERVER_UNREACHABLE', { data: { url }, cause });
  }
}

/** Reads a reply, up to the size limit of a log. */
async function readReplyBody(answer: Response): Promise<string> {
  try {
    return await readTextWithin(answer.body, { bytesMax: ANSWER_BYTES_MAX });
  } catch (cause) {
    throw invalidLogError(
      cause instanceof AppError ? 'its reply is too large' : 'its reply is incomplete',
    );
  }
}

function invalidLogError(reason: string): AppError {
  return new AppError('PROOF_UNKNOWN', {
    message: `This log cannot be witnessed: ${reason}.`,
  });
}

function tryJson(text: string): object {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}
