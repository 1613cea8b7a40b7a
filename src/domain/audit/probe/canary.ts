import { sha256Hex } from '../../common/hash.ts';

/** Prefix of every canary, which identifies its origin. */
export const CANARY_PREFIX = 'stoacanary';

/**
 * Canary files in the home directory of a child process; a legitimate response never contains them.
 */
export const HOME_CANARIES = [
  { path: '.ssh/id_ed25519', label: 'home-ssh' },
  { path: '.aws/credentials', label: 'home-aws' },
  { path: '.stoa-canary', label: 'home-file' },
] as const;

/** Canary environment variables of a child process; a legitimate response never contains them. */
export const ENVIRONMENT_CANARIES = [
  { variable: 'AWS_SECRET_ACCESS_KEY', label: 'env-aws' },
  { variable: 'OPENAI_API_KEY', label: 'env-openai' },
  { variable: 'DATABASE_URL', label: 'env-database' },
  { variable: 'STOA_CANARY_SECRET', label: 'env-secret' },
] as const;

/** Number of hexadecimal digits for 128 bits. */
const AUDIT_DIGITS = 32;
const LABEL_DIGITS = 8;

/** Returns the 128 random bits in all names of an audit, as 32 hexadecimal digits. */
export function deriveAuditDigits(seed: string): string {
  return sha256Hex(`${seed}/digits`).slice(0, AUDIT_DIGITS);
}

/**
 * Returns a unique value of letters and digits only, so that field validation accepts it.
 *
 * @param seed - Seed of the audit.
 * @param label - Distinguishes the canaries of one audit.
 */
export function deriveCanary(seed: string, label: string): string {
  const own = sha256Hex(`${seed}/${label}`).slice(0, LABEL_DIGITS);
  return `${CANARY_PREFIX}${deriveAuditDigits(seed)}${own}`;
}

/** Returns all canaries in the environment and home directory of a child process. */
export function environmentCanaries(seed: string): readonly { label: string; value: string }[] {
  return [...HOME_CANARIES, ...ENVIRONMENT_CANARIES].map(({ label }) => ({
    label,
    value: deriveCanary(seed, label),
  }));
}
