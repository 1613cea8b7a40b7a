import { utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { canonicalJson } from '../common/json.ts';
import { computeRoot, type Hash, leafHash, nodeHash } from '../proof/merkle.ts';
import { AgentSubject, Sha256 } from './records.ts';

/** Maximum steps per process, evidence items per step, and characters per note. */
export const PROCESS_LIMITS = { stepsMax: 100, evidenceMax: 16, noteCharsMax: 500 } as const;

/** One claimed step of a process. */
export const ProcessStep = z.strictObject({
  name: z.string().min(1).max(200).describe('Name of the step.'),
  outcome: z
    .enum(['done', 'skipped', 'failed'])
    .default('done')
    .describe('How it ended. Default: done.'),
  done_at: z.iso
    .datetime()
    .optional()
    .describe('When the step was done, as an RFC 3339 time in UTC.'),
  evidence_sha256: z
    .array(Sha256)
    .max(PROCESS_LIMITS.evidenceMax)
    .default([])
    .describe('SHA-256 hashes of logs, files or outputs. Keep the files yourself.'),
  note: z.string().max(PROCESS_LIMITS.noteCharsMax).optional().describe('A note.'),
});
/** A parsed {@link ProcessStep}. */
export type ProcessStep = z.infer<typeof ProcessStep>;

/** A claim that an agent followed a process. */
export const ProcessClaim = z.strictObject({
  process: z
    .strictObject({
      name: z.string().min(1).max(200).describe('Name of the process.'),
      version: z.string().max(100).optional().describe('Its version.'),
      definition_sha256: Sha256.optional().describe(
        'SHA-256 of the document that defines the process.',
      ),
      required_steps: z
        .array(z.string().min(1).max(200))
        .max(PROCESS_LIMITS.stepsMax)
        .default([])
        .describe('Steps that it requires.'),
    })
    .describe('The process.'),
  performed_by: AgentSubject.describe(
    'Agent that followed the process: name, ERC-8004 id or wallet.',
  ),
  steps: z
    .array(ProcessStep)
    .min(1)
    .max(PROCESS_LIMITS.stepsMax)
    .describe('The steps in their order.'),
});
/** A parsed {@link ProcessClaim}. */
export type ProcessClaim = z.infer<typeof ProcessClaim>;

/** Findings that follow from the claim alone, without trusting it. */
export interface ProcessFindings {
  /** Every required step is present and done. */
  readonly is_complete: boolean;
  readonly missing_steps: readonly string[];
  /** The step times never decrease; steps without a time are skipped. */
  readonly is_in_order: boolean;
  readonly steps_without_evidence: number;
  /** No step is later than the attestation. */
  readonly is_in_the_past: boolean;
  /**
   * Root of the Merkle tree over the steps (RFC 6962, leaves in canonical JSON). A single step can
   * be disclosed and proven.
   */
  readonly steps_root: string;
}

/**
 * Checks a claim for missing, unordered and unevidenced steps.
 *
 * @param at - Time of the attestation, in milliseconds.
 */
export function checkProcess(
  { process: definition, steps }: ProcessClaim,
  at: number,
): ProcessFindings {
  const done = new Set(steps.flatMap(({ name, outcome }) => (outcome === 'done' ? [name] : [])));
  const missing = definition.required_steps.filter((name) => !done.has(name));
  const times = steps.flatMap(({ done_at }) =>
    done_at === undefined ? [] : [Date.parse(done_at)],
  );
  return {
    is_complete: missing.length === 0,
    missing_steps: missing,
    is_in_order: times.every((time, position) => time >= (times[position - 1] ?? time)),
    steps_without_evidence: steps.filter((step) => step.evidence_sha256.length === 0).length,
    is_in_the_past: times.every((time) => time <= at),
    steps_root: toHex(computeStepsRoot(steps)),
  };
}

/** Returns the root of the Merkle tree over the steps. */
export function computeStepsRoot(steps: readonly ProcessStep[]): Hash {
  const leaves = steps.map((step) => leafHash(utf8ToBytes(canonicalJson(step))));
  const read = (level: number, index: number): Hash => {
    if (level > 0) return nodeHash(read(level - 1, 2 * index), read(level - 1, 2 * index + 1));
    return leaves[index] ?? new Uint8Array();
  };
  return computeRoot(steps.length, read);
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
