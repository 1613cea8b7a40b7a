import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Shorter ids can be brute-forced. */
const LENGTH_MIN = 16;
/** Highest counter value whose hash is compared. */
const COUNTER_MAX = 200;
/** Minimum number of characters that must vary between ids. */
const FREE_CHARACTERS_MIN = 12;
/** Maximum difference of sequential numbers. */
const STEP_MAX = 1_000n;

/** Reason why session ids can be guessed. */
export interface GuessableReason {
  readonly why: string;
}

/** Returns why consecutive session ids can be guessed, or `undefined` if nothing indicates it. */
export function findGuessableReason(ids: readonly string[]): GuessableReason | undefined {
  if (new Set(ids).size < ids.length) return { why: 'Several sessions have the same id.' };
  if (ids.some((id) => id.length < LENGTH_MIN)) {
    return { why: `An id has fewer than ${LENGTH_MIN} characters.` };
  }
  const counted = ids.map(findCounter);
  if (counted.every((one) => one !== undefined)) return { why: 'The ids are hashes of a counter.' };
  const forms = [(id: string) => id, decodeBase64];
  for (const form of forms) {
    const texts = ids.map(form);
    if (texts.some((text) => text === undefined)) continue;
    const guess = findReasonInTexts(texts as readonly string[]);
    if (guess !== undefined) return guess;
  }
  return undefined;
}

function findReasonInTexts(texts: readonly string[]): GuessableReason | undefined {
  const varying = trimCommonParts(texts);
  const shortest = Math.min(...varying.map((part) => part.length));
  if (shortest < FREE_CHARACTERS_MIN) {
    return { why: `Only ${shortest} characters differ between consecutive ids.` };
  }
  const numbers = varying.map(parseNumber);
  if (numbers.every((one) => one !== undefined) && areSequential(numbers as readonly bigint[])) {
    return { why: 'The ids are sequential.' };
  }
  return undefined;
}

/** Removes the common prefix and suffix of all texts. */
function trimCommonParts(texts: readonly string[]): readonly string[] {
  const first = texts[0] ?? '';
  const isAt = (at: number, letter: string | undefined) =>
    texts.every((text) => text.at(at) === letter);
  let head = 0;
  while (head < first.length && isAt(head, first.at(head))) head += 1;
  let tail = 0;
  while (tail < first.length - head && isAt(-1 - tail, first.at(-1 - tail))) tail += 1;
  return texts.map((text) => text.slice(head, text.length - tail));
}

function areSequential(numbers: readonly bigint[]): boolean {
  return numbers.slice(1).every((number, at) => {
    const step = number - (numbers[at] ?? number);
    return step > 0n && step <= STEP_MAX;
  });
}

function parseNumber(text: string): bigint | undefined {
  if (/^\d{1,40}$/.test(text)) return BigInt(text);
  return /^[0-9a-f]{1,40}$/i.test(text) ? BigInt(`0x${text}`) : undefined;
}

function findCounter(id: string): number | undefined {
  const bare = id
    .toLowerCase()
    .replace(/^[a-z]+[-_]/, '')
    .replaceAll('-', '');
  for (let count = 0; count <= COUNTER_MAX; count += 1) {
    const bytes = new TextEncoder().encode(String(count));
    const hashes = [md5(bytes), sha1(bytes), sha256(bytes)].map(bytesToHex);
    if (hashes.some((hash) => bare.length >= LENGTH_MIN && hash.startsWith(bare))) return count;
  }
  return undefined;
}

function decodeBase64(id: string): string | undefined {
  const bare = id.replaceAll('-', '+').replaceAll('_', '/');
  if (!/^[A-Za-z0-9+/]+=*$/.test(bare)) return undefined;
  try {
    const text = atob(bare);
    // Printable output means that the id encoded a text; otherwise it decoded by chance.
    return /^[\x20-\x7e]+$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
