import type { AuditRequest } from '../../domain/audit/request.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { type AuditToolDeps, auditTool } from './audit-tool.ts';

const DESCRIPTION = [
  'Audits an MCP server or an A2A agent card with 13 coordinated seats: a scoper, one auditor for',
  'each category ASI01 to ASI10, a verifier that replays every finding in a fresh session with',
  'its control, and a notary. Seats are programs with rules, no language model takes part. The',
  'result is a signed ProofOfAuditReport with a Merkle root over findings, verdicts and probes,',
  'recorded in the public log of proofs and anchored on chain with it; where no anchor can be had',
  'the report says so. Active probes need the proof that you control the origin: the first call',
  'without consent answers a secret nonce, and where to serve its SHA-256, free; mode "passive"',
  'needs none. Public at /v1/audits/<audit_id>.',
].join(' ');

/** The tool that audits with 13 seats and leaves a signed, anchored report. */
export function enterpriseAuditTool(deps: AuditToolDeps): Tool<AuditRequest> {
  return auditTool(deps, {
    plan: 'enterprise',
    name: 'security_enterprise-audit',
    title: 'Enterprise audit with a signed, anchored report',
    description: DESCRIPTION,
    price: toText(microUsd('25.00')),
  });
}
