import { sha256Hex } from '../hash.ts';

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

/**
 * A value that stands nowhere else: letters and digits only, so that no rule of a field refuses it.
 *
 * @param seed - Of the audit.
 * @param label - Tells it from the other canaries of the audit.
 */
export function canaryOf(seed: string, label: string): string {
  return `${CANARY_PREFIX}${sha256Hex(`${seed}/${label}`).slice(0, 14)}`;
}

/** All canaries that stand in the surroundings of a child process. */
export function surroundingCanaries(seed: string): readonly { label: string; value: string }[] {
  return [...HOME_CANARIES, ...ENVIRONMENT_CANARIES].map(({ label }) => ({
    label,
    value: canaryOf(seed, label),
  }));
}
