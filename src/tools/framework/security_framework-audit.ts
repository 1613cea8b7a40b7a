import type { AuditRequest } from '../../domain/audit/request.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { type AuditToolDeps, auditTool } from '../audit/audit-tool.ts';

const DESCRIPTION = [
  'Audits an MCP server or an A2A agent card over the ten categories ASI01 to ASI10: five seats,',
  'each with two categories, run code probes with harmless canary values, and a finding counts',
  'only when another seat has seen it again in a fresh session, beside a control. Each category',
  'gets pass, fail, partial or not_assessed with the probes that ran. No language model takes',
  'part. Active probes need the proof that you control the origin: the first call without consent',
  'answers a secret nonce, and where to serve its SHA-256, free; mode "passive" needs none. The',
  'signed report with its Merkle root is public at /v1/audits/<audit_id> (HTML, JSON, SARIF). A',
  'target that is down when you order is not charged.',
].join(' ');

/** The tool that audits a counterparty over all ten categories with five seats. */
export function frameworkAuditTool(deps: AuditToolDeps): Tool<AuditRequest> {
  return auditTool(deps, {
    plan: 'framework',
    name: 'security_framework-audit',
    title: 'Security audit over ASI01 to ASI10',
    description: DESCRIPTION,
    price: toText(microUsd('5.00')),
  });
}
