import { sha256Hex } from '../../common/hash.ts';

/** How every canary begins, so that whoever meets one knows where it comes from. */
export const CANARY_PREFIX = 'stoacanary';

/** Files in the home of a child process that no honest answer shows. */
export const HOME_CANARIES = [
  { path: '.ssh/id_ed25519', label: 'home-ssh' },
  { path: '.aws/credentials', label: 'home-aws' },
  { path: '.stoa-canary', label: 'home-file' },
] as const;

/** Secrets in the environment of a child process that no honest answer shows. */
export const ENVIRONMENT_CANARIES = [
  { variable: 'AWS_SECRET_ACCESS_KEY', label: 'env-aws' },
  { variable: 'OPENAI_API_KEY', label: 'env-openai' },
  { variable: 'DATABASE_URL', label: 'env-database' },
  { variable: 'STOA_CANARY_SECRET', label: 'env-secret' },
] as const;

/** Hexadecimal digits of 128 bits. */
const AUDIT_DIGITS = 32;
const LABEL_DIGITS = 8;

/** The 128 random bits that are in all names of an audit, as 32 hexadecimal digits. */
export function auditDigits(seed: string): string {
  return sha256Hex(`${seed}/digits`).slice(0, AUDIT_DIGITS);
}

/**
 * A value that stands nowhere else: letters and digits only, so that no rule of a field refuses it.
 *
 * @param seed - Of the audit.
 * @param label - Tells it from the other canaries of the audit.
 */
export function canaryOf(seed: string, label: string): string {
  const own = sha256Hex(`${seed}/${label}`).slice(0, LABEL_DIGITS);
  return `${CANARY_PREFIX}${auditDigits(seed)}${own}`;
}

/** All canaries that stand in the surroundings of a child process. */
export function surroundingCanaries(seed: string): readonly { label: string; value: string }[] {
  return [...HOME_CANARIES, ...ENVIRONMENT_CANARIES].map(({ label }) => ({
    label,
    value: canaryOf(seed, label),
  }));
}
