/** The versions that start with `initialize`, newest first. */
export const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** The version without sessions, served on `/v2/` and over stdio. */
export const MODERN_VERSION = '2026-07-28';

/** The version that the specification assumes for a request without a version header. */
export const ASSUMED_VERSION = '2025-03-26';

/** Returns the requested version if it is supported, else the newest one. */
export function negotiateVersion(wanted: unknown): string {
  return SESSION_VERSIONS.find((version) => version === wanted) ?? SESSION_VERSIONS[0];
}

/** Returns whether a version starts with `initialize`. */
export function isSessionVersion(version: string): boolean {
  return SESSION_VERSIONS.some((one) => one === version);
}

/** Returns whether a version has batches: 2025-03-26 added them, 2025-06-18 removed them. */
export function supportsBatches(version: string): boolean {
  return version === '2025-03-26';
}

/** Returns whether a version has tasks: 2025-11-25 added them, the next one has an extension. */
export function supportsTasks(version: string): boolean {
  return version === '2025-11-25';
}

/** Returns whether streams start with an event without data, from which a client can resume. */
export function supportsPriming(version: string): boolean {
  return version === '2025-11-25';
}
