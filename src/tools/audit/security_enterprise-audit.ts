import type { AuditRequest } from '../../domain/audit/request.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { type AuditToolDeps, createAuditTool } from './audit-tool.ts';

const PRICE_USD = '25.00';
const DESCRIPTION = [
  'Audit an MCP server or an A2A agent card with 13 coordinated seats. One auditor covers each',
  'category ASI01 to ASI10, beside a scoper, a verifier and a notary. The verifier replays every',
  'finding in a fresh session with its control. Seats are rule-based programs; no language model',
  'takes part. Returns a signed ProofOfAuditReport with a Merkle root, in the public proof log',
  'and anchored on chain. Without an anchor the report says so. Active probes need proof that you',
  'control the origin: call first without a proof, free, to learn what to serve. Mode "passive"',
  'needs no proof. Public at /v1/audits/<audit_id>. For five seats use security_framework-audit.',
  `$${PRICE_USD}; you are not charged if the target is down.`,
].join(' ');

/** Creates the tool `security_enterprise-audit`. */
export function enterpriseAuditTool(deps: AuditToolDeps): Tool<AuditRequest> {
  return createAuditTool(deps, {
    plan: 'enterprise',
    name: 'security_enterprise-audit',
    title: 'Enterprise security audit, signed and anchored',
    description: DESCRIPTION,
    summary:
      'Audit an MCP server or A2A card over ASI01 to ASI10 with 13 seats; the report is ' +
      'anchored on chain. Active probes need proof of control: a call without it is ' +
      'free. For five seats use security_framework-audit. No charge if the target is ' +
      'down.',
    example: { target: 'https://agent.example/mcp', mode: 'passive' },
    price: formatMicroUsd(parseUsd(PRICE_USD)),
  });
}
