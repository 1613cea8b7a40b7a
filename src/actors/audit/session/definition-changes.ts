import { createEvidence } from '../../../domain/audit/evidence.ts';
import type { Recon } from '../../../domain/audit/probe/recon.ts';
import type { Finding, ProbeRun } from '../../../domain/audit/records.ts';
import { sha256Hex } from '../../../domain/common/hash.ts';
import { describeChanges, isRedefined } from './with-target.ts';

/** The check that the audit itself makes between two seats. */
export const RUG_PULL_PROBE = {
  probeId: 'definitions-change-during-audit',
  version: 1,
  category: 'ASI04',
  mode: 'passive',
} as const;

/** The definitions before and after a change, and the seat that saw it. */
export interface DefinitionChange {
  readonly earlier: Recon;
  readonly first: Recon;
  readonly second: Recon;
  readonly seatId: string;
}

/**
 * Creates the finding for definitions that changed during the audit, seen in two new connections.
 */
export function createChangeFinding({ earlier, first, second, seatId }: DefinitionChange): Finding {
  const { probeId, version, category } = RUG_PULL_PROBE;
  const request = `tools/list, pinned before as ${earlier.pins.whole}`;
  const told = (later: Recon): string =>
    `pinned now as ${later.pins.whole}\n${describeChanges(earlier, later).join('\n')}`;
  return {
    findingId: `${category}-${sha256Hex(probeId).slice(0, 12)}`,
    category,
    probeId,
    probeVersion: version,
    title: 'Definitions changed while the audit ran',
    severity: isRedefined(earlier, second) ? 'high' : 'low',
    status: 'confirmed',
    evidence: createEvidence(request, told(first)),
    control: createEvidence(
      'tools/list at the start of the audit',
      `pinned as ${earlier.pins.whole}`,
    ),
    reproducedBy: seatId,
    replay: createEvidence(request, told(second)),
    remediation:
      'Keep approved definitions unchanged, announce changes, and let clients pin each complete ' +
      'definition.',
  };
}

/** Returns the result of this check over the whole audit. */
export function createRugPullRun(looks: number, changes: number): ProbeRun {
  const { probeId, version: probeVersion, category, mode } = RUG_PULL_PROBE;
  const hasLooked = looks + changes > 0;
  return {
    probeId,
    probeVersion,
    category,
    mode,
    outcome: changes > 0 ? 'found' : hasLooked ? 'clean' : 'blocked',
    reason: hasLooked ? null : 'The audit ended before the second check.',
    // Its requests are those between seats, which the audit counts separately.
    requests: 0,
    subjects: ['tools/list'],
    findings: [],
  };
}
