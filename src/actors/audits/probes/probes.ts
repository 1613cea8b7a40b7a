import type { Probe } from '../probe.ts';

/**
 * Raised whenever a probe is added, dropped or changed. Proofs of control are bound to it, so that
 * an owner's yes covers only what could be read at that time.
 */
export const PROBE_SET_VERSION = 1;

/** All probes, in the order in which they run. */
export const PROBES: readonly Probe[] = [];
