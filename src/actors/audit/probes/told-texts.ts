import type { Evidence } from '../../../domain/audit/records.ts';
import { hiddenIn } from '../../../domain/audit/text/hidden-characters.ts';
import { suspicionOf } from '../../../domain/audit/text/text-check.ts';
import { placeOf, type ToldText, textsOfTarget } from '../../../domain/audit/text/texts.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { makeProbe } from '../session/make-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { leftOutInWords, SEARCHED, textTurns, WEIGHED } from '../session/text-turns.ts';
import { isSilent, TOLD_REQUESTS_MAX, told, toldEvidence } from '../session/told.ts';

const SILENT = { outcome: 'not_applicable', reason: 'the target discloses nothing' } as const;
/** Minimum weight of a high-severity suspicion. */
const GRAVE = 10;
/**
 * Detects texts that give the model instructions. An indicator only, because wording is no proof.
 */
export const instructionsInTexts = makeProbe({
  probeId: 'instructions-in-texts',
  version: 2,
  category: 'ASI01',
  mode: 'passive',
  title: 'Texts of tools order the model about',
  requestsMax: TOLD_REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const recon = await told(session, focus);
    if (isSilent(recon)) return SILENT;
    const found = new Map<string, Sighting>();
    const texts = textsOfTarget(recon);
    const leftOut = { chars: 0 };
    for await (const one of textTurns(texts, WEIGHED, leftOut)) {
      const suspicion = suspicionOf(one.text, placeOf(one));
      if (suspicion === undefined || found.has(one.owner)) continue;
      found.set(one.owner, {
        title: `A text orders the model about: ${suspicion.signs[0]}`,
        severity: suspicion.weight >= GRAVE ? 'high' : 'medium',
        status: 'indicator',
        ...named(one),
        evidence: toldEvidence(
          one.owner,
          one.place,
          `signs: ${suspicion.signs.join('; ')}\n${suspicion.excerpt}`,
        ),
        control: null,
        remediation: 'Describe what the tool does, and do not instruct the model or its user.',
      });
    }
    return {
      outcome: 'looked',
      subjects: [...new Set(texts.map(({ owner }) => owner))],
      findings: [...found.values()],
      reason: leftOutInWords(leftOut),
    };
  },
});

/** Detects invisible and confusable characters. A reproducible fact, not an indicator. */
export const hiddenCharacters = makeProbe({
  probeId: 'hidden-characters',
  version: 1,
  category: 'ASI01',
  mode: 'passive',
  title: 'Texts of tools hold characters that nobody sees',
  requestsMax: TOLD_REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const recon = await told(session, focus);
    if (isSilent(recon)) return SILENT;
    const texts = textsOfTarget(recon);
    const leftOut = { chars: 0 };
    let control: Evidence | null = null;
    const found = new Map<string, Sighting>();
    for await (const one of textTurns(texts, SEARCHED, leftOut)) {
      const [hidden] = hiddenIn(one.text);
      if (hidden === undefined) control ??= toldEvidence(one.owner, one.place, one.text);
      const key = `${hidden?.kind}/${one.owner}`;
      if (hidden === undefined || found.has(key)) continue;
      const says = hidden.says === '' ? '' : `, which say: ${hidden.says}`;
      found.set(key, {
        title: `A text holds ${hidden.kind}`,
        severity: hidden.kind === 'tag characters' ? 'high' : 'medium',
        status: 'unreproduced',
        ...named(one),
        evidence: toldEvidence(one.owner, one.place, `${hidden.count} ${hidden.kind}${says}`),
        control: null,
        remediation: 'Use only visible characters in texts.',
      });
    }
    const subjects = [...new Set(texts.map(({ owner }) => owner))];
    const findings = [...found.values()].map((one) => ({ ...one, control }));
    return { outcome: 'looked', subjects, findings, reason: leftOutInWords(leftOut) };
  },
});

function named({ isTool, owner }: ToldText): { readonly tool?: string } {
  return isTool ? { tool: owner } : {};
}
