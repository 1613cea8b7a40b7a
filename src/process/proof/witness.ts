import { readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { fromBase64 } from '../../domain/proof/base64.ts';
import type { Hash } from '../../domain/proof/merkle.ts';
import {
  cosignedText,
  parseVerifierKey,
  writeCosignature,
  writeNote,
} from '../../domain/proof/note.ts';
import { judgeCheckpoint, type WitnessVerdict } from '../../domain/verification/witness.ts';
import { withLock } from '../server/file-lock.ts';
import { verifyEd25519 } from './proof-keys.ts';
import { readSeen, type Seen, type WitnessKey, writeWhole } from './witness-files.ts';

const ANSWER_TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 1_048_576;
/** Attempts while other processes with the same key may have stored newer checkpoints. */
const LOOKS_MAX = 8;

/** The inputs of a witness. */
export interface WitnessParts {
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
export type Witnessed =
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
export async function witnessOnce(parts: WitnessParts): Promise<Witnessed> {
  const { log, key, seenPath, now } = parts;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const all = readSeen(seenPath);
    const logKey = await pinnedKey(parts, all[log]);
    const stories = listStories(all, logKey);
    const written = await ask(`${log}/v1/proofs/checkpoint`);
    const [verdict, against] = await judge(parts, { logKey, stories, written });
    if (verdict.state === 'unreadable') throw noLog(verdict.reason);
    if (verdict.state === 'forked') {
      const evidence = `${seenPath}.fork-${now()}.json`;
      writeWhole(evidence, { log, reason: verdict.reason, seen: against, shown: written });
      return { state: 'forked', reason: verdict.reason, evidence };
    }
    const { text, checkpoint } = verdict;
    const root = Buffer.from(checkpoint.root).toString('hex');
    const seen: Seen = { key: logKey, size: checkpoint.size, root, note: written };
    if (!(await isKept(parts, seen, stories))) continue;
    await handIn(log, cosigned(key, text, now()));
    return { state: 'cosigned', size: checkpoint.size };
  }
  throw new AppError('OVERLOADED', {
    message: `Other witnesses with this key stored newer checkpoints in ${LOOKS_MAX} attempts.`,
  });
}

/** Returns what was seen of a log, at all of its addresses. */
function listStories(all: Readonly<Record<string, Seen>>, logKey: string): readonly Seen[] {
  return Object.values(all).filter((seen) => seen.key === logKey);
}

interface Shown {
  readonly logKey: string;
  readonly stories: readonly Seen[];
  readonly written: string;
}

/**
 * Checks a checkpoint against everything seen. Returns the verdict, and the first contradiction.
 */
async function judge(
  { log }: WitnessParts,
  { logKey, stories, written }: Shown,
): Promise<readonly [WitnessVerdict, Seen | undefined]> {
  const judgeBy = (story: Seen | undefined): Promise<WitnessVerdict> =>
    judgeCheckpoint({
      key: logKey,
      seen:
        story === undefined
          ? undefined
          : { size: story.size, root: Buffer.from(story.root, 'hex') },
      written,
      verify: verifyEd25519,
      consistency: (from, to) => consistencyOf(log, from, to),
    });
  const first = await judgeBy(stories[0]);
  if (first.state !== 'consistent') return [first, stories[0]];
  for (const story of stories.slice(1)) {
    const verdict = await judgeBy(story);
    if (verdict.state !== 'consistent') return [verdict, story];
  }
  return [first, undefined];
}

/** Stores a checkpoint, unless the file has changed since the verdict. Returns whether it did. */
function isKept({ log, seenPath }: WitnessParts, seen: Seen, judgedBy: readonly Seen[]) {
  return withLock(seenPath, () => {
    const all = readSeen(seenPath);
    const isSame = JSON.stringify(listStories(all, seen.key)) === JSON.stringify(judgedBy);
    const known = all[log];
    if (!isSame || (known !== undefined && known.key !== seen.key)) return false;
    // A smaller log is a prefix of the one seen, so the newer one stays.
    if (known === undefined || seen.size >= known.size) {
      writeWhole(seenPath, { ...all, [log]: seen });
    }
    return true;
  });
}

function cosigned({ key, sign }: WitnessKey, text: string, nowMs: number): string {
  const atS = Math.floor(nowMs / SECOND_MS);
  const signature = writeCosignature(atS, sign(cosignedText(text, atS)));
  return writeNote({ text, signatures: [{ name: key.name, keyId: key.keyId, signature }] });
}

async function pinnedKey({ log, logKey }: WitnessParts, known: Seen | undefined): Promise<string> {
  const shown = (await ask(`${log}/v1/proofs/key`)).trim();
  const pinned = logKey ?? known?.key ?? shown;
  if (parseVerifierKey(shown) === undefined) throw noLog('it publishes no key');
  if (shown === pinned && (known === undefined || known.key === pinned)) return pinned;
  throw new AppError('CONFIG_INVALID', {
    message: 'The log’s key differs from the one that this witness has pinned.',
    data: { received: shown, allowed: known?.key ?? pinned },
  });
}

async function consistencyOf(
  log: string,
  from: number,
  to: number,
): Promise<readonly Hash[] | undefined> {
  const answer = await get(`${log}/v1/proofs/consistency?from=${from}&to=${to}`);
  if (!answer.ok) return undefined;
  const { path } = tryJson(await bodyOf(answer)) as { path?: unknown };
  if (!Array.isArray(path)) return undefined;
  const hashes = path.map((text: unknown) =>
    typeof text === 'string' ? fromBase64(text) : undefined,
  );
  return hashes.every((hash) => hash !== undefined) ? (hashes as readonly Hash[]) : undefined;
}

async function handIn(log: string, note: string): Promise<void> {
  const answer = await reach(`${log}/v1/proofs/cosignatures`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: note,
  });
  const body = await bodyOf(answer);
  if (answer.ok) return;
  throw new AppError('FORBIDDEN', {
    message: 'The log rejected the cosignature.',
    data: { status: answer.status, answer: body.slice(0, 500) },
  });
}

async function ask(url: string): Promise<string> {
  const answer = await get(url);
  const body = await bodyOf(answer);
  if (answer.ok) return body;
  throw noLog(`${url} returned HTTP ${answer.status}`);
}

function get(url: string): Promise<Response> {
  return reach(url, { headers: { 'cache-control': 'no-cache' } });
}

async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  } catch (cause) {
    throw new AppError('SERVER_UNREACHABLE', { data: { url }, cause });
  }
}

/** Reads a reply, up to the size limit of a log. */
async function bodyOf(answer: Response): Promise<string> {
  try {
    return await readTextWithin(answer.body, { bytesMax: ANSWER_BYTES_MAX });
  } catch (cause) {
    throw noLog(cause instanceof AppError ? 'its reply is too large' : 'its reply is incomplete');
  }
}

function noLog(reason: string): AppError {
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
