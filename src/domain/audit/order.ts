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

/** Maximum number of probes in one audit. */
export const PROBES_MAX = 200;
/** Maximum number of findings that one audit stores. */
export const FINDINGS_KEPT_MAX = 200;

/** How the requester proved the owner's consent; passive audits need none. */
export const ConsentRecord = z.object({
  /** `operator`: the operator of this service allowed the program. */
  kind: z.enum(['passive', 'nonce', 'passport', 'operator']),
  /** The passport, or the SHA-256 of the nonce. */
  ref: z.string().nullable(),
  /** Milliseconds. */
  provenAt: z.number(),
  /** Milliseconds; `null` for passive audits. */
  expiresAt: z.number().nullable(),
});
/** A parsed {@link ConsentRecord}. */
export type ConsentRecord = z.infer<typeof ConsentRecord>;

/** A probe in an audit plan. */
export const PlannedProbe = z.object({
  probeId: z.string(),
  version: z.number().int(),
  category: AsiCategory,
  mode: ProbeMode,
  requestsMax: z.number().int().nonnegative(),
});
/** A parsed {@link PlannedProbe}. */
export type PlannedProbe = z.infer<typeof PlannedProbe>;

/** Input of an audit, as plain JSON. */
export const AuditInput = z.object({
  /** The buyer's capability for the audit. */
  jobId: z.string(),
  paymentId: z.string().optional(),
  /** Public name under which the audit is published. */
  auditId: z.string().regex(/^aud_[0-9a-f]{32}$/),
  plan: AuditPlanName,
  target: TargetAddress,
  /** `https://host:port`, or `stdio:<name>`. */
  origin: z.string(),
  /** IP address contacted before payment; `null` for commands. */
  pinnedAddress: z.string().nullable(),
  mode: ProbeMode,
  /** True if the owner allowed calls to writing tools; absent in older audits. */
  allowWrites: z.boolean().optional(),
  /** Consent data from the order; it is verified again during the audit. */
  consent: z.object({ nonce: z.string(), passport: z.string() }).partial(),
  categories: z.array(AsiCategory).min(1),
  probeSetVersion: z.number().int(),
  /** In execution order: grouped by seat. */
  probes: z.array(PlannedProbe).max(PROBES_MAX),
  requestsMax: z.number().int().positive(),
  deadlineMs: z.number().int().positive(),
  priceMicroUsd: MicroUsdText,
  /** Seed of the canary values. */
  seed: z.string(),
});
/** A parsed {@link AuditInput}. */
export type AuditInput = z.infer<typeof AuditInput>;

/** Reference to a finding of a running audit; the store holds the finding by hash. */
export const FindingRef = z.object({
  findingId: z.string(),
  category: AsiCategory,
  probeId: z.string(),
  severity: Severity,
  status: FindingStatus,
  sha: z.string(),
});
/** A parsed {@link FindingRef}. */
export type FindingRef = z.infer<typeof FindingRef>;

/** Reference to a finished probe of a running audit. */
export const RunRef = z.object({
  probeId: z.string(),
  outcome: RunOutcome,
  requests: z.number().int().nonnegative(),
  /** Hash of the full run; empty if the probe failed, in which case `reason` says why. */
  sha: z.string(),
  reason: z.string().nullable(),
});
/** A parsed {@link RunRef}. */
export type RunRef = z.infer<typeof RunRef>;

/** A probe that was not run, with the reason. */
export interface SkippedProbe {
  readonly probeId: string;
  readonly reason: string;
}

/** Outcomes caused by the target: nothing is charged and only confirmed findings are reported. */
const TARGET_CAUSED_OUTCOMES: ReadonlySet<string> = new Set(['target_down', 'unassessable']);

/** Returns whether the target itself ended the audit early. */
export function isCutOffByTarget(outcome: string | null): boolean {
  return outcome !== null && TARGET_CAUSED_OUTCOMES.has(outcome);
}

/** Outcome of an audit. */
export type AuditOutcome =
  /** Every applicable probe ran. */
  | 'complete'
  /** The time limit was reached. */
  | 'deadline'
  /** The target's owner stopped it. */
  | 'stopped'
  /** The buyer cancelled it. */
  | 'cancelled'
  | 'target_down'
  /** Fewer than half of the probes could examine the target. */
  | 'unassessable'
  /** The proof of control was not valid. */
  | 'refused'
  | 'failed';
