import type { AuditRequest } from '../../domain/audit/request.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { CORPUS, CORPUS_VERSION, computeCorpusHash } from '../../domain/injection/corpus.ts';
import { InjectionRequest } from '../../domain/injection/request.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { type AuditToolDeps, createAuditTool } from '../audit/audit-tool.ts';

const PRICE_USD = '0.50';
const DESCRIPTION = [
  'Test whether the input handling of a counterparty (MCP server or A2A agent) resists prompt',
  `injection. Sends a fixed corpus (version ${CORPUS_VERSION}, ${CORPUS.length} texts in 12`,
  'classes, direct and indirect) to text fields or as messages. Each text asks for a word that it',
  'does not contain, so obeying differs from echoing; each class has a harmless control. Returns',
  'resistance per class with counts, 95 % interval, and the sent and received texts. A class',
  'without answers is not_assessed. You must prove that you control the origin: call first',
  'without a proof, free, to learn what to serve. The signed report is public at',
  `/v1/audits/<audit_id>. No language model takes part. $${PRICE_USD}; you are not charged if the`,
  'target is down.',
].join(' ');

/** Creates the tool `security_injection-resilience`. */
export function injectionResilienceTool(deps: AuditToolDeps): Tool<AuditRequest> {
  const tool = createAuditTool(deps, {
    plan: 'injection',
    name: 'security_injection-resilience',
    title: 'Injection resilience test',
    description: DESCRIPTION,
    summary:
      'Test an MCP server or A2A agent with 48 prompt injections. Needs proof that you ' +
      'control it: a call without it is free. For all risks use ' +
      'security_framework-audit. No charge if the target is down.',
    example: { target: 'https://agent.example/mcp' },
    price: formatMicroUsd(parseUsd(PRICE_USD)),
  });
  return {
    ...tool,
    input: InjectionRequest,
    checkReady: (request) => ({
      ...tool.checkReady?.(request),
      corpus_version: CORPUS_VERSION,
      corpus_sha256: computeCorpusHash(),
    }),
  };
}
