import { sha256 } from '@noble/hashes/sha2.js';
import type { Random } from '../common/random.ts';

/** Id prefixes by kind of hosted resource. */
export const ID_PREFIXES = {
  workspace: 'tea-',
  service: 'srv-',
  cron_job: 'crn-',
  deploy: 'dep-',
  postgres: 'dpg-',
  key_value: 'red-',
  event: 'evt-',
  cron_run: 'crr-',
} as const;
/** A kind of hosted resource. */
export type HostedKind = keyof typeof ID_PREFIXES;

const DIGITS = '0123456789abcdefghijklmnopqrstuv';
const ID_BYTES = 13;
const ID_CHARS = 20;
const SUFFIX_CHARS = 4;
const SLUG_CHARS_MAX = 50;

/** Creates an id: the prefix of its kind and 20 random characters. Postgres ids end in `-a`. */
export function createHostedId(kind: HostedKind, random: Random): string {
  const id = `${ID_PREFIXES[kind]}${drawCharacters(random, ID_CHARS, ID_BYTES)}`;
  return kind === 'postgres' ? `${id}-a` : id;
}

/** Derives an id from a name. The same name always gives the same id. */
export function deriveId(kind: HostedKind, name: string): string {
  const digest = sha256(new TextEncoder().encode(name));
  return createHostedId(kind, { bytes: (length) => digest.subarray(0, length) });
}

/** Returns the kind of an id from its prefix; `undefined` for an unknown prefix. */
export function kindOfId(id: string): HostedKind | undefined {
  const kinds = Object.keys(ID_PREFIXES) as HostedKind[];
  return kinds.find((kind) => id.startsWith(ID_PREFIXES[kind]));
}

/**
 * Creates the slug of a service for addresses: letters, digits and hyphens of its name. If it is
 * taken, a hyphen and four random characters follow.
 *
 * @param isTaken - Whether another service has the slug.
 */
export function createSlug(
  name: string,
  isTaken: (slug: string) => boolean,
  random: Random,
): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS_MAX)
    .replace(/^-|-$/g, '');
  const base = plain === '' ? 'service' : plain;
  let slug = base;
  while (isTaken(slug)) slug = `${base}-${drawCharacters(random, SUFFIX_CHARS, SUFFIX_CHARS)}`;
  return slug;
}

function drawCharacters(random: Random, charCount: number, byteCount: number): string {
  let bits = 0n;
  for (const byte of random.bytes(byteCount)) bits = bits * 256n + BigInt(byte);
  let text = '';
  for (; text.length < charCount; bits /= 32n) text += DIGITS[Number(bits % 32n)] ?? '0';
  return text;
}
