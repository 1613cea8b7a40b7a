import type { AuditRequest } from '../../domain/audit/request.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { CORPUS, CORPUS_VERSION, corpusHash } from '../../domain/injection/corpus.ts';
import { InjectionRequest } from '../../domain/injection/request.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { type AuditToolDeps, auditTool } from '../audit/audit-tool.ts';

const DESCRIPTION = [
  'Tests whether the input handling of a counterparty, an MCP server or an A2A agent, resists',
  `prompt injection: a fixed corpus (version ${CORPUS_VERSION}, ${CORPUS.length} texts in 12`,
  'classes, direct and indirect) is given to the fields that take texts, or as messages. Each',
  'text asks for a word that stands nowhere in it, so obeying is told from echoing; a harmless',
  'control stands beside every class. Resistance is told per class, with counts and their 95 %',
  'interval, what was sent and what came back; a class that nothing answered is not_assessed.',
  'Needs the proof that you control the origin: the first call without consent answers a secret',
  'nonce, and where to serve its SHA-256, free. The signed report is public at',
  '/v1/audits/<audit_id>. A target that is down is not charged. No language model takes part here.',
].join(' ');

/** The tool that gives a target the corpus of injections. */
export function injectionResilienceTool(deps: AuditToolDeps): Tool<AuditRequest> {
  const tool = auditTool(deps, {
    plan: 'injection',
    name: 'security_injection-resilience',
    title: 'Injection resilience test',
    description: DESCRIPTION,
    price: toText(microUsd('0.50')),
  });
  return {
    ...tool,
    input: InjectionRequest,
    ready: (request) => ({
      ...tool.ready?.(request),
      corpus_version: CORPUS_VERSION,
      corpus_sha256: corpusHash(),
    }),
  };
}
