import { z } from 'zod';
import { Trial } from '../injection/trial.ts';
import { LeftBehind } from './probe/left-behind.ts';

/** The ten OWASP categories of agent security, with their names as of December 2025. */
export const ASI_CATEGORIES = {
  ASI01: 'Agent Goal Hijack',
  ASI02: 'Tool Misuse and Exploitation',
  ASI03: 'Identity and Privilege Abuse',
  ASI04: 'Agentic Supply Chain Vulnerabilities',
  ASI05: 'Unexpected Code Execution',
  ASI06: 'Memory and Context Poisoning',
  ASI07: 'Insecure Inter-Agent Communication',
  ASI08: 'Cascading Failures',
  ASI09: 'Human-Agent Trust Exploitation',
  ASI10: 'Rogue Agents',
} as const;

/** Id of a category in {@link ASI_CATEGORIES}. */
export const AsiCategory = z.enum([
  'ASI01',
  'ASI02',
  'ASI03',
  'ASI04',
  'ASI05',
  'ASI06',
  'ASI07',
  'ASI08',
  'ASI09',
  'ASI10',
]);
/** Id of a category in {@link ASI_CATEGORIES}. */
export type AsiCategory = z.infer<typeof AsiCategory>;

/** Severity of a finding. */
export const Severity = z.enum(['info', 'low', 'medium', 'high', 'critical']);
/** One of the {@link Severity} values. */
export type Severity = z.infer<typeof Severity>;

/** Probe mode. Passive probes only read what the target sends to any client. */
export const ProbeMode = z.enum(['passive', 'active']);
/** One of the {@link ProbeMode} values. */
export type ProbeMode = z.infer<typeof ProbeMode>;

/** Address of the audit target. */
export const TargetAddress = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mcp_http'), url: z.url() }),
  /** Name of a command that the operator allows; never the command itself. */
  z.object({ kind: z.literal('mcp_stdio'), name: z.string() }),
  z.object({ kind: z.literal('a2a_card'), url: z.url() }),
]);
/** A parsed {@link TargetAddress}. */
export type TargetAddress = z.infer<typeof TargetAddress>;

/** One exchange with a target as evidence: bounded excerpts and a hash of the full text. */
export const Evidence = z.object({
  /** The request as text, at most 2,000 characters; canaries stay readable. */
  request: z.string().max(2_000),
  /** The response, at most 2,000 characters. */
  responseExcerpt: z.string().max(2_000),
  /** SHA-256 of the full request and response, in hex. */
  sha256: z.string(),
});
/** A parsed {@link Evidence}. */
export type Evidence = z.infer<typeof Evidence>;

/** Status of a finding. Only `confirmed` counts. */
export const FindingStatus = z.enum([
  'indicator',
  'confirmed',
  'unreproduced',
  'inconclusive',
  'refuted',
]);
/** One of the {@link FindingStatus} values. */
export type FindingStatus = z.infer<typeof FindingStatus>;

/**
 * Outcome of a probe. `clean`: it examined everything in scope and found nothing. `partial`: it
 * found nothing but did not examine everything. The last three examined nothing.
 */
export const RunOutcome = z.enum([
  'clean',
  'found',
  'partial',
  'not_applicable',
  'blocked',
  'failed',
]);
/** One of the {@link RunOutcome} values. */
export type RunOutcome = z.infer<typeof RunOutcome>;

/** A defect that a probe found. Text checks alone are indicators; `confirmed` requires a replay. */
export const Finding = z.object({
  findingId: z.string(),
  category: AsiCategory,
  probeId: z.string(),
  probeVersion: z.number().int(),
  title: z.string(),
  severity: Severity,
  /** `inconclusive`: another seat could not reproduce or refute it; it does not count. */
  status: FindingStatus,
  tool: z.string().optional(),
  /** The exchange that shows the defect, and the control exchange that does not. */
  evidence: Evidence,
  control: Evidence.nullable(),
  /** The seat that reproduced the finding in a new session, and its evidence. */
  reproducedBy: z.string().nullable(),
  replay: Evidence.nullable(),
  remediation: z.string(),
  /** Data of the replay that tools of the target may still hold. */
  leftBehind: z.array(LeftBehind).optional(),
});
/** A parsed {@link Finding}. */
export type Finding = z.infer<typeof Finding>;

/** One probe of one audit, whether it ran or was skipped. */
export const ProbeRun = z.object({
  probeId: z.string(),
  probeVersion: z.number().int(),
  category: AsiCategory,
  mode: ProbeMode,
  outcome: RunOutcome,
  /** Why the probe did not examine everything, or what ended it. */
  reason: z.string().nullable(),
  /** Number of requests sent to the target. */
  requests: z.number().int().nonnegative(),
  /** Items examined, such as the names of the tools called. */
  subjects: z.array(z.string()),
  /** Texts sent to the target; corpus probes only. */
  trials: z.array(Trial).optional(),
  findings: z.array(Finding),
  /** Audit data that tools of the target may still hold. */
  leftBehind: z.array(LeftBehind).optional(),
});
/** A parsed {@link ProbeRun}. */
export type ProbeRun = z.infer<typeof ProbeRun>;

/** Verdict for one category. `not_assessed`, never `pass`, if no probe examined it. */
export const CategoryVerdict = z.object({
  category: AsiCategory,
  verdict: z.enum(['pass', 'fail', 'partial', 'not_assessed']),
  probesRun: z.array(z.string()),
  probesSkipped: z.array(z.object({ probeId: z.string(), reason: z.string() })),
  findingIds: z.array(z.string()),
});
/** A parsed {@link CategoryVerdict}. */
export type CategoryVerdict = z.infer<typeof CategoryVerdict>;
