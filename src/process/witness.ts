import { readTextWithin } from '../domain/bounded-bytes.ts';
import { AppError } from '../domain/error.ts';
import { fromBase64 } from '../domain/proof/base64.ts';
import type { Hash } from '../domain/proof/merkle.ts';
import {
  cosignedText,
  parseVerifierKey,
  writeCosignature,
  writeNote,
} from '../domain/proof/note.ts';
import { SECOND_MS } from '../domain/time.ts';
import { judgeCheckpoint } from '../domain/verify/witness.ts';
import { verifyEd25519 } from './proof-keys.ts';
import { readSeen, type Seen, type WitnessKey, writeWhole } from './witness-files.ts';

const ANSWER_TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 1_048_576;

/** What a witness works with. */
export interface WitnessParts {
  /** Address of the server that keeps the log, without a path. */
  readonly log: string;
  readonly key: WitnessKey;
  /** Where it keeps what it has seen. */
  readonly seenPath: string;
  /** The log's key where it is known from elsewhere; else that of the first visit is kept. */
  readonly logKey: string | undefined;
  readonly now: () => number;
}

/** What one round came to. */
export type Witnessed =
  | { readonly state: 'cosigned'; readonly size: number }
  | { readonly state: 'forked'; readonly reason: string; readonly evidence: string };

/**
 * Looks at a log once: its checkpoint must continue the one that was seen last. Then that is kept,
 * cosigned and handed in. A log that tells two stories gets no signature, and both are kept.
 *
 * @throws {AppError} `SERVER_UNREACHABLE`, `PROOF_UNKNOWN` for an answer that is no log's,
 * `CONFIG_INVALID` when the log has another key than at the first visit
 */
export async function witnessOnce(parts: WitnessParts): Promise<Witnessed> {
  const { log, key, seenPath, now } = parts;
  const all = readSeen(seenPath);
  const known = all[log];
  const logKey = await pinnedKey(parts, known);
  const written = await ask(`${log}/v1/proofs/checkpoint`);
  const verdict = await judgeCheckpoint({
    key: logKey,
    seen:
      known === undefined ? undefined : { size: known.size, root: Buffer.from(known.root, 'hex') },
    written,
    verify: verifyEd25519,
    consistency: (from, to) => consistencyOf(log, from, to),
  });
  if (verdict.state === 'unreadable') throw noLog(verdict.reason);
  if (verdict.state === 'forked') {
    const evidence = `${seenPath}.fork-${now()}.json`;
    writeWhole(evidence, { log, reason: verdict.reason, seen: known, shown: written });
    return { state: 'forked', reason: verdict.reason, evidence };
  }
  const { text, checkpoint } = verdict;
  const root = Buffer.from(checkpoint.root).toString('hex');
  // A smaller log than the one seen is its beginning: what was seen stays the newest.
  if (known === undefined || checkpoint.size >= known.size) {
    const seen: Seen = { key: logKey, size: checkpoint.size, root, note: written };
    writeWhole(seenPath, { ...all, [log]: seen });
  }
  await handIn(log, cosigned(key, text, now()));
  return { state: 'cosigned', size: checkpoint.size };
}

function cosigned({ key, sign }: WitnessKey, text: string, nowMs: number): string {
  const atS = Math.floor(nowMs / SECOND_MS);
  const signature = writeCosignature(atS, sign(cosignedText(text, atS)));
  return writeNote({ text, signatures: [{ name: key.name, keyId: key.keyId, signature }] });
}

async function pinnedKey({ log, logKey }: WitnessParts, known: Seen | undefined): Promise<string> {
  const shown = (await ask(`${log}/v1/proofs/key`)).trim();
  const pinned = logKey ?? known?.key ?? shown;
  if (parseVerifierKey(shown) === undefined) throw noLog('it shows no key');
  if (shown === pinned && (known === undefined || known.key === pinned)) return pinned;
  throw new AppError('CONFIG_INVALID', {
    message: 'The log has another key than the one that this witness knows.',
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
    message: 'The log does not take the cosignature.',
    data: { status: answer.status, answer: body.slice(0, 500) },
  });
}

async function ask(url: string): Promise<string> {
  const answer = await get(url);
  const body = await bodyOf(answer);
  if (answer.ok) return body;
  throw noLog(`${url} answers ${answer.status}`);
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

/** The body of an answer, as far as a log's answers go. */
async function bodyOf(answer: Response): Promise<string> {
  try {
    return await readTextWithin(answer.body, { bytesMax: ANSWER_BYTES_MAX });
  } catch (cause) {
    throw noLog(cause instanceof AppError ? 'it answers without end' : 'its answer breaks off');
  }
}

function noLog(reason: string): AppError {
  return new AppError('PROOF_UNKNOWN', {
    message: `This is no log that can be witnessed: ${reason}.`,
  });
}

function tryJson(text: string): object {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}
