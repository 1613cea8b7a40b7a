import { z } from 'zod';
import { Trial } from '../injection/trial.ts';
import { LeftBehind } from './probe/left-behind.ts';

/** The ten categories of agent security, with their names of December 2025. */
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

/** See {@link ASI_CATEGORIES}. */
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
/** See {@link ASI_CATEGORIES}. */
export type AsiCategory = z.infer<typeof AsiCategory>;

/** How bad a finding is. */
export const Severity = z.enum(['info', 'low', 'medium', 'high', 'critical']);
/** See {@link Severity}. */
export type Severity = z.infer<typeof Severity>;

/** What may be asked of a target. Passive probes only read what any client is told. */
export const ProbeMode = z.enum(['passive', 'active']);
/** See {@link ProbeMode}. */
export type ProbeMode = z.infer<typeof ProbeMode>;

/** What is to be audited. */
export const TargetAddress = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mcp_http'), url: z.url() }),
  /** The name of a command that the operator allows; never the command itself. */
  z.object({ kind: z.literal('mcp_stdio'), name: z.string() }),
  z.object({ kind: z.literal('a2a_card'), url: z.url() }),
]);
/** See {@link TargetAddress}. */
export type TargetAddress = z.infer<typeof TargetAddress>;

/** One exchange with a target, as evidence: bounded excerpts beside hashes of the whole. */
export const Evidence = z.object({
  /** What was sent, as text, at most 2,000 characters; canaries stay readable. */
  request: z.string().max(2_000),
  /** What came back, at most 2,000 characters. */
  responseExcerpt: z.string().max(2_000),
  /** SHA-256 of request and whole response, in hex. */
  sha256: z.string(),
});
/** See {@link Evidence}. */
export type Evidence = z.infer<typeof Evidence>;

/** What became of a finding. Only `confirmed` counts. */
export const FindingStatus = z.enum([
  'indicator',
  'confirmed',
  'unreproduced',
  'inconclusive',
  'refuted',
]);
/** See {@link FindingStatus}. */
export type FindingStatus = z.infer<typeof FindingStatus>;

/**
 * What a probe came to. `clean`: it looked at everything that concerns it, and saw nothing.
 * `partial`: it saw nothing and did not look at everything. The last three looked at nothing.
 */
export const RunOutcome = z.enum([
  'clean',
  'found',
  'partial',
  'not_applicable',
  'blocked',
  'failed',
]);
/** See {@link RunOutcome}. */
export type RunOutcome = z.infer<typeof RunOutcome>;

/** A fault that a probe saw. Text checks alone are indicators; `confirmed` needs a replay. */
export const Finding = z.object({
  findingId: z.string(),
  category: AsiCategory,
  probeId: z.string(),
  probeVersion: z.number().int(),
  title: z.string(),
  severity: Severity,
  /** `inconclusive`: another seat looked and could not settle it; it counts for nothing. */
  status: FindingStatus,
  tool: z.string().optional(),
  /** What showed the fault, and the control that did not. */
  evidence: Evidence,
  control: Evidence.nullable(),
  /** The seat that saw it again in a fresh session, and what it saw. */
  reproducedBy: z.string().nullable(),
  replay: Evidence.nullable(),
  remediation: z.string(),
  /** What tools of the target may still hold of its replay. */
  leftBehind: z.array(LeftBehind).optional(),
});
/** See {@link Finding}. */
export type Finding = z.infer<typeof Finding>;

/** One probe of one audit: it ran, or says why not. */
export const ProbeRun = z.object({
  probeId: z.string(),
  probeVersion: z.number().int(),
  category: AsiCategory,
  mode: ProbeMode,
  outcome: RunOutcome,
  /** Why it did not look at all or at everything, or what ended it. */
  reason: z.string().nullable(),
  /** Requests that it sent to the target. */
  requests: z.number().int().nonnegative(),
  /** What it looked at, such as the names of the tools that it called. */
  subjects: z.array(z.string()),
  /** Texts that were given to the target, one by one; only probes of the corpus have them. */
  trials: z.array(Trial).optional(),
  findings: z.array(Finding),
  /** What tools of the target may still hold of the audit. */
  leftBehind: z.array(LeftBehind).optional(),
});
/** See {@link ProbeRun}. */
export type ProbeRun = z.infer<typeof ProbeRun>;

/** The verdict on one category. With no probe that looked it is `not_assessed`, never `pass`. */
export const CategoryVerdict = z.object({
  category: AsiCategory,
  verdict: z.enum(['pass', 'fail', 'partial', 'not_assessed']),
  probesRun: z.array(z.string()),
  probesSkipped: z.array(z.object({ probeId: z.string(), reason: z.string() })),
  findingIds: z.array(z.string()),
});
/** See {@link CategoryVerdict}. */
export type CategoryVerdict = z.infer<typeof CategoryVerdict>;
