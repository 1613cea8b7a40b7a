import type { AuditRequest } from '../../domain/audit/request.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { type AuditToolDeps, createAuditTool } from '../audit/audit-tool.ts';

const PRICE_USD = '5.00';
const DESCRIPTION = [
  'Audit the security of an MCP server or an A2A agent card over all ten categories ASI01 to',
  'ASI10. Five seats with two categories each run code probes with harmless canary values. A',
  'finding counts only if another seat reproduces it in a fresh session, beside a control.',
  'Returns pass, fail, partial or not_assessed per category, with the probes. No language model',
  'takes part. Active probes need proof that you control the origin: call first without a proof,',
  'free, to learn what to serve. Mode "passive" needs no proof. The signed report with Merkle',
  'root is public at /v1/audits/<audit_id> (HTML, JSON, SARIF). For an anchored report use',
  `security_enterprise-audit. $${PRICE_USD}; you are not charged if the target is down.`,
].join(' ');

/** Creates the tool `security_framework-audit`. */
export function frameworkAuditTool(deps: AuditToolDeps): Tool<AuditRequest> {
  return createAuditTool(deps, {
    plan: 'framework',
    name: 'security_framework-audit',
    title: 'Security audit over ASI01 to ASI10',
    description: DESCRIPTION,
    summary:
      'Audit an MCP server or A2A card over ASI01 to ASI10 with five seats. Active ' +
      'probes need proof of control: a call without it is free. For an anchored report ' +
      'use security_enterprise-audit. No charge if the target is down.',
    example: { target: 'https://agent.example/mcp', mode: 'passive' },
    price: formatMicroUsd(parseUsd(PRICE_USD)),
  });
}
