import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { resultText } from '../../../domain/audit/probe/tool-result.ts';
import type { AsiCategory, Severity } from '../../../domain/audit/records.ts';
import { findDeceptions } from '../../../domain/audit/text/deception.ts';
import { findHiddenCharacters } from '../../../domain/audit/text/hidden-characters.ts';
import { assessText } from '../../../domain/audit/text/text-check.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { withConnection } from '../session/call-tool.ts';
import { createProbe } from '../session/create-probe.ts';
import type { Probe, Sighting } from '../session/probe.ts';
import { type SurveyedCall, surveyTools } from '../session/survey.ts';
import {
  describeOmitted,
  type OmittedText,
  readTextPieces,
  SEARCHED_BOUNDS,
  type TextBounds,
  WEIGHED_BOUNDS,
} from '../session/text-pieces.ts';

const REQUESTS_MAX = 60;

/** Detects tool answers that give the model instructions. */
export const injectedResults = createResultProbe({
  probeId: 'injected-results',
  category: 'ASI06',
  title: 'Answers order the model about',
  severity: 'high',
  remediation: 'Return third-party texts as marked data, and remove instructions from them.',
  bounds: WEIGHED_BOUNDS,
  signsIn: (text) => {
    const suspicion = assessText(text);
    const [hidden] = findHiddenCharacters(text);
    if (hidden !== undefined) return { sign: hidden.kind, isFact: true };
    return suspicion === undefined ? undefined : { sign: suspicion.signs[0] ?? '', isFact: false };
  },
});

/** Detects tool answers that deceive the reader. */
export const deceptiveResults = createResultProbe({
  probeId: 'deceptive-results',
  category: 'ASI09',
  title: 'Answers deceive the person who reads them',
  severity: 'medium',
  remediation: 'Answer in plain text, with honest links and without remote images.',
  bounds: SEARCHED_BOUNDS,
  signsIn: (text) => findDeceptions(text)[0],
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

function createResultProbe(plan: ResultPlan): Probe {
  const { probeId, category, title } = plan;
  return createProbe({
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
        const asked = surveyTools(session, {
          connection,
          manners,
          requestsMax: REQUESTS_MAX,
          focus,
        });
        for await (const call of asked) calls.push(call);
        const subjects = calls.map(({ tool }) => tool.name);
        const leftOut = { chars: 0 };
        const findings = await findSightings(plan, calls, leftOut);
        return { outcome: 'looked', subjects, findings, reason: describeOmitted(leftOut) };
      });
    },
  });
}

/** Returns one finding per tool; the control is an answer without signs. */
async function findSightings(
  { title, severity, remediation, signsIn, bounds }: ResultPlan,
  calls: readonly SurveyedCall[],
  leftOut: OmittedText,
): Promise<Sighting[]> {
  const found = new Map<string, Sighting>();
  const faulty = new Set<SurveyedCall>();
  const texts = calls.map((call) => ({ call, text: resultText(call.outcome) }));
  for await (const { call, text } of readTextPieces(texts, bounds, leftOut)) {
    const seen = signsIn(withoutArguments(text, call));
    if (seen === undefined) continue;
    faulty.add(call);
    if (found.has(call.tool.name)) continue;
    found.set(call.tool.name, {
      title: `${title}: ${seen.sign}`,
      severity,
      status: seen.isFact ? 'unreproduced' : 'indicator',
      tool: call.tool.name,
      evidence: createRpcEvidence(call.outcome),
      control: null,
      remediation,
    });
  }
  const clean = calls.find((call) => !faulty.has(call));
  const control = clean === undefined ? null : createRpcEvidence(clean.outcome);
  return [...found.values()].map((one) => ({ ...one, control }));
}

/** Removes the arguments from the answer, because echoed text is not the target's own. */
function withoutArguments(answer: string, { values }: SurveyedCall): string {
  let text = answer;
  for (const sent of listTexts(values)) if (sent.length > 5) text = text.replaceAll(sent, '');
  return text;
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(listTexts);
}
