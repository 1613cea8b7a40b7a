import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { CANARY_PREFIX, environmentCanaries } from '../../../domain/audit/probe/canary.ts';
import { findSecrets, maskSecrets } from '../../../domain/audit/probe/secrets.ts';
import { resultText } from '../../../domain/audit/probe/tool-result.ts';
import type { Evidence } from '../../../domain/audit/records.ts';
import { decodeEncodedParts } from '../../../domain/audit/text/readings.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { withConnection } from '../session/call-tool.ts';
import { createProbe } from '../session/create-probe.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';
import { type SurveyedCall, surveyTools } from '../session/survey.ts';
import { describeOmitted, readTextPieces, SEARCHED_BOUNDS } from '../session/text-pieces.ts';

const REQUESTS_MAX = 100;

/** Detects secrets and environment details in answers and errors. */
export const secretsInResults = createProbe({
  probeId: 'secrets-in-results',
  version: 1,
  category: 'ASI03',
  mode: 'active',
  title: 'Answers and errors show secrets or the environment',
  requestsMax: REQUESTS_MAX,
  totalMs: 2 * MINUTE_MS,
  look: async (session, focus) => {
    if (session.recon.tools.length === 0) {
      return { outcome: 'not_applicable', reason: 'the target lists no tools' };
    }
    const found = new Map<string, Sighting>();
    const subjects: string[] = [];
    const leftOut = { chars: 0 };
    await withConnection(session, async (connection) => {
      const control = await connection.request('ping');
      const manners = ['fitting', 'full', 'odd'] as const;
      const calls = surveyTools(session, { connection, manners, requestsMax: REQUESTS_MAX, focus });
      for await (const call of calls) {
        subjects.push(call.tool.name);
        const texts = [{ call, text: resultText(call.outcome) }];
        for await (const piece of readTextPieces(texts, SEARCHED_BOUNDS, leftOut)) {
          const seen = createSighting(session, piece, control);
          if (seen !== undefined) found.set(`${seen.title}/${call.tool.name}`, seen);
        }
      }
    });
    const reason = describeOmitted(leftOut);
    return { outcome: 'looked', subjects, findings: [...found.values()], reason };
  },
});

function createSighting(
  session: ProbeSession,
  { call, text: said }: { readonly call: SurveyedCall; readonly text: string },
  control: RpcOutcome,
): Sighting | undefined {
  const { tool, values, manner, outcome } = call;
  const text = `${said}\n${decodeEncodedParts(said)}`;
  const planted = findPlantedSecret(session, text);
  const [first] = findSecrets(text, JSON.stringify(values));
  const kind = planted ?? first?.kind;
  if (kind === undefined) return undefined;
  return {
    title: `${manner === 'odd' ? 'An error' : 'An answer'} shows: ${kind}`,
    severity: planted === undefined ? 'high' : 'critical',
    status: 'unreproduced',
    tool: tool.name,
    evidence: maskedEvidence(outcome),
    control: createRpcEvidence(control),
    remediation: 'Return only what was requested; keep secrets out of answers and errors.',
  };
}

/** Canaries are planted only in the environment of child processes. */
function findPlantedSecret(session: ProbeSession, text: string): string | undefined {
  if (session.recon.kind !== 'mcp_stdio' || !text.includes(CANARY_PREFIX)) return undefined;
  const planted = environmentCanaries(session.seed).find(({ value }) => text.includes(value));
  return planted === undefined ? undefined : `planted secret ${planted.label}`;
}

function maskedEvidence(outcome: RpcOutcome): Evidence {
  const evidence = createRpcEvidence(outcome);
  return { ...evidence, responseExcerpt: maskSecrets(evidence.responseExcerpt) };
}
