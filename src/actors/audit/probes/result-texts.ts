import { rpcEvidence } from '../../../domain/audit/evidence.ts';
import { answerText } from '../../../domain/audit/probe/tool-answer.ts';
import type { AsiCategory, Severity } from '../../../domain/audit/records.ts';
import { deceptionsIn } from '../../../domain/audit/text/deception.ts';
import { hiddenIn } from '../../../domain/audit/text/hidden-characters.ts';
import { suspicionOf } from '../../../domain/audit/text/text-check.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { withConnection } from '../session/calling.ts';
import { makeProbe } from '../session/make-probe.ts';
import type { Probe, Sighting } from '../session/probe.ts';
import { type SurveyedCall, survey } from '../session/survey.ts';
import {
  type LeftOut,
  leftOutInWords,
  SEARCHED,
  type TextBounds,
  textTurns,
  WEIGHED,
} from '../session/text-turns.ts';

const REQUESTS_MAX = 60;

/** Detects tool answers that give the model instructions. */
export const injectedResults = resultProbe({
  probeId: 'injected-results',
  category: 'ASI06',
  title: 'Answers order the model about',
  severity: 'high',
  remediation: 'Return third-party texts as marked data, and remove instructions from them.',
  bounds: WEIGHED,
  signsIn: (text) => {
    const suspicion = suspicionOf(text);
    const [hidden] = hiddenIn(text);
    if (hidden !== undefined) return { sign: hidden.kind, isFact: true };
    return suspicion === undefined ? undefined : { sign: suspicion.signs[0] ?? '', isFact: false };
  },
});

/** Detects tool answers that deceive the reader. */
export const deceptiveResults = resultProbe({
  probeId: 'deceptive-results',
  category: 'ASI09',
  title: 'Answers deceive the person who reads them',
  severity: 'medium',
  remediation: 'Answer in plain text, with honest links and without remote images.',
  bounds: SEARCHED,
  signsIn: (text) => deceptionsIn(text)[0],
});

interface ResultPlan {
  readonly probeId: string;
  readonly category: AsiCategory;
  readonly title: string;
  readonly severity: Severity;
  readonly remediation: string;
  readonly bounds: TextBounds;
  /** Searches a text. `isFact` means that the sign is objective and can be reproduced. */
  signsIn(text: string): { readonly sign: string; readonly isFact: boolean } | undefined;
}

function resultProbe(plan: ResultPlan): Probe {
  const { probeId, category, title } = plan;
  return makeProbe({
    probeId,
    version: 1,
    category,
    mode: 'active',
    title,
    requestsMax: REQUESTS_MAX,
    totalMs: 2 * MINUTE_MS,
    look: async (session, focus) => {
      if (session.recon.tools.length === 0) {
        return { outcome: 'not_applicable', reason: 'the target lists no tools' };
      }
      return await withConnection(session, async (connection) => {
        const manners = ['fitting', 'full'] as const;
        const calls: SurveyedCall[] = [];
        const asked = survey(session, { connection, manners, requestsMax: REQUESTS_MAX, focus });
        for await (const call of asked) calls.push(call);
        const subjects = calls.map(({ tool }) => tool.name);
        const leftOut = { chars: 0 };
        const findings = await sightings(plan, calls, leftOut);
        return { outcome: 'looked', subjects, findings, reason: leftOutInWords(leftOut) };
      });
    },
  });
}

/** Returns one finding per tool; the control is an answer without signs. */
async function sightings(
  { title, severity, remediation, signsIn, bounds }: ResultPlan,
  calls: readonly SurveyedCall[],
  leftOut: LeftOut,
): Promise<Sighting[]> {
  const found = new Map<string, Sighting>();
  const faulty = new Set<SurveyedCall>();
  const texts = calls.map((call) => ({ call, text: answerText(call.outcome) }));
  for await (const { call, text } of textTurns(texts, bounds, leftOut)) {
    const seen = signsIn(ownWords(text, call));
    if (seen === undefined) continue;
    faulty.add(call);
    if (found.has(call.tool.name)) continue;
    found.set(call.tool.name, {
      title: `${title}: ${seen.sign}`,
      severity,
      status: seen.isFact ? 'unreproduced' : 'indicator',
      tool: call.tool.name,
      evidence: rpcEvidence(call.outcome),
      control: null,
      remediation,
    });
  }
  const clean = calls.find((call) => !faulty.has(call));
  const control = clean === undefined ? null : rpcEvidence(clean.outcome);
  return [...found.values()].map((one) => ({ ...one, control }));
}

/** Removes the arguments from the answer, because echoed text is not the target's own. */
function ownWords(answer: string, { values }: SurveyedCall): string {
  let text = answer;
  for (const sent of textsIn(values)) if (sent.length > 5) text = text.replaceAll(sent, '');
  return text;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);
}
