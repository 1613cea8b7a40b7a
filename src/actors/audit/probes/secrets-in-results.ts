import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { rpcEvidence } from '../../../domain/audit/evidence.ts';
import { CANARY_PREFIX, surroundingCanaries } from '../../../domain/audit/probe/canary.ts';
import { secretsIn, withoutSecrets } from '../../../domain/audit/probe/secrets.ts';
import { answerText } from '../../../domain/audit/probe/tool-answer.ts';
import type { Evidence } from '../../../domain/audit/records.ts';
import { behindEncoding } from '../../../domain/audit/text/decoded.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { withConnection } from '../session/calling.ts';
import { makeProbe } from '../session/make-probe.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';
import { type SurveyedCall, survey } from '../session/survey.ts';
import { leftOutInWords, SEARCHED, textTurns } from '../session/text-turns.ts';

const REQUESTS_MAX = 100;

/** Detects secrets and environment details in answers and errors. */
export const secretsInResults = makeProbe({
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
      const calls = survey(session, { connection, manners, requestsMax: REQUESTS_MAX, focus });
      for await (const call of calls) {
        subjects.push(call.tool.name);
        const texts = [{ call, text: answerText(call.outcome) }];
        for await (const piece of textTurns(texts, SEARCHED, leftOut)) {
          const seen = sightingOf(session, piece, control);
          if (seen !== undefined) found.set(`${seen.title}/${call.tool.name}`, seen);
        }
      }
    });
    const reason = leftOutInWords(leftOut);
    return { outcome: 'looked', subjects, findings: [...found.values()], reason };
  },
});

function sightingOf(
  session: ProbeSession,
  { call, text: said }: { readonly call: SurveyedCall; readonly text: string },
  control: RpcOutcome,
): Sighting | undefined {
  const { tool, values, manner, outcome } = call;
  const text = `${said}\n${behindEncoding(said)}`;
  const planted = plantedIn(session, text);
  const [first] = secretsIn(text, JSON.stringify(values));
  const kind = planted ?? first?.kind;
  if (kind === undefined) return undefined;
  return {
    title: `${manner === 'odd' ? 'An error' : 'An answer'} shows: ${kind}`,
    severity: planted === undefined ? 'high' : 'critical',
    status: 'unreproduced',
    tool: tool.name,
    evidence: masked(outcome),
    control: rpcEvidence(control),
    remediation: 'Return only what was requested; keep secrets out of answers and errors.',
  };
}

/** Canaries are planted only in the environment of child processes. */
function plantedIn(session: ProbeSession, text: string): string | undefined {
  if (session.recon.kind !== 'mcp_stdio' || !text.includes(CANARY_PREFIX)) return undefined;
  const planted = surroundingCanaries(session.seed).find(({ value }) => text.includes(value));
  return planted === undefined ? undefined : `planted secret ${planted.label}`;
}

function masked(outcome: RpcOutcome): Evidence {
  const evidence = rpcEvidence(outcome);
  return { ...evidence, responseExcerpt: withoutSecrets(evidence.responseExcerpt) };
}
