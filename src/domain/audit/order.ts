import { z } from 'zod';
import { MicroUsdText } from '../common/money.ts';
import { AuditPlanName } from './plans.ts';
import {
  AsiCategory,
  FindingStatus,
  ProbeMode,
  RunOutcome,
  Severity,
  TargetAddress,
} from './records.ts';

/** Most probes that one audit plans. */
export const PROBES_MAX = 200;
/** Most findings that one audit keeps; what comes after says much the same. */
export const FINDINGS_KEPT_MAX = 200;

/** How the asker showed that the target's owner agrees; passive audits need nothing. */
export const ConsentRecord = z.object({
  /** `operator`: programs are audited only where the operator of this service allows them. */
  kind: z.enum(['passive', 'nonce', 'passport', 'operator']),
  /** What was shown: a passport, or the SHA-256 of the nonce. */
  ref: z.string().nullable(),
  /** Milliseconds. */
  provenAt: z.number(),
  /** Milliseconds; `null` for passive audits, which need no consent. */
  expiresAt: z.number().nullable(),
});
/** See {@link ConsentRecord}. */
export type ConsentRecord = z.infer<typeof ConsentRecord>;

/** A probe as an audit plans it. */
export const PlannedProbe = z.object({
  probeId: z.string(),
  version: z.number().int(),
  category: AsiCategory,
  mode: ProbeMode,
  requestsMax: z.number().int().nonnegative(),
});
/** See {@link PlannedProbe}. */
export type PlannedProbe = z.infer<typeof PlannedProbe>;

/** What an audit is created with. Plain JSON. */
export const AuditInput = z.object({
  /** The capability of whoever bought it. */
  jobId: z.string(),
  paymentId: z.string().optional(),
  /** The public name, under which it is published. */
  auditId: z.string().regex(/^aud_[0-9a-f]{32}$/),
  plan: AuditPlanName,
  target: TargetAddress,
  /** `https://host:port`, or `stdio:<name>`. */
  origin: z.string(),
  /** The IP address that was connected to before the payment; `null` for commands. */
  pinnedAddress: z.string().nullable(),
  mode: ProbeMode,
  /** True where its owner agreed that tools which write are tried; absent in older audits. */
  allowWrites: z.boolean().optional(),
  /** What the asker showed when it ordered; it is asked for again during the audit. */
  consent: z.object({ nonce: z.string(), passport: z.string() }).partial(),
  categories: z.array(AsiCategory).min(1),
  probeSetVersion: z.number().int(),
  /** In the order in which they run: seat after seat. */
  probes: z.array(PlannedProbe).max(PROBES_MAX),
  requestsMax: z.number().int().positive(),
  deadlineMs: z.number().int().positive(),
  priceMicroUsd: MicroUsdText,
  /** Deals the canary values. */
  seed: z.string(),
});
/** See {@link AuditInput}. */
export type AuditInput = z.infer<typeof AuditInput>;

/** A finding within an audit under way: the whole stands in the store, by hash. */
export const FindingRef = z.object({
  findingId: z.string(),
  category: AsiCategory,
  probeId: z.string(),
  severity: Severity,
  status: FindingStatus,
  sha: z.string(),
});
/** See {@link FindingRef}. */
export type FindingRef = z.infer<typeof FindingRef>;

/** A probe that has ended, within an audit under way. */
export const RunRef = z.object({
  probeId: z.string(),
  outcome: RunOutcome,
  requests: z.number().int().nonnegative(),
  /** The whole run, by hash; empty for one that broke, which `reason` tells of. */
  sha: z.string(),
  reason: z.string().nullable(),
});
/** See {@link RunRef}. */
export type RunRef = z.infer<typeof RunRef>;

/** What a probe that was not run leaves: why. */
export interface SkippedProbe {
  readonly probeId: string;
  readonly reason: string;
}

/** Ends that the target brought about: nothing is charged, and only what was confirmed is told. */
const CUT_OFF: ReadonlySet<string> = new Set(['target_down', 'unassessable']);

/** True when the target itself cut an audit off. */
export function isCutOff(outcome: string | null): boolean {
  return outcome !== null && CUT_OFF.has(outcome);
}

/** How an audit ended. */
export type AuditOutcome =
  /** Every probe that could run did. */
  | 'complete'
  /** Time was up first. */
  | 'deadline'
  /** The target's owner ended it. */
  | 'stopped'
  /** Its buyer ended it. */
  | 'cancelled'
  | 'target_down'
  /** Fewer than half of its probes could look. */
  | 'unassessable'
  /** The proof of control did not hold. */
  | 'refused'
  | 'failed';
