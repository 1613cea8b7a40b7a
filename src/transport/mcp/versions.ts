/** The versions that begin with `initialize`, newest first. */
export const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** The version without sessions: served on `/v2/` and over stdio. */
export const MODERN_VERSION = '2026-07-28';

/** The version that a client's wish leads to: the wish itself, else the newest. */
export function negotiate(wanted: unknown): string {
  return SESSION_VERSIONS.find((version) => version === wanted) ?? SESSION_VERSIONS[0];
}

/** Tells whether a version is one that begins with `initialize`. */
export function isSessionVersion(version: string): boolean {
  return SESSION_VERSIONS.some((one) => one === version);
}

/** Batches came with 2025-03-26 and went with 2025-06-18. */
export function hasBatches(version: string): boolean {
  return version === '2025-03-26';
}

/** Tasks came with 2025-11-25; the version after has them as an extension. */
export function hasTasks(version: string): boolean {
  return version === '2025-11-25';
}

/** An event without data at the head of a stream, so that even an early drop can be resumed. */
export function hasPriming(version: string): boolean {
  return version === '2025-11-25';
}
