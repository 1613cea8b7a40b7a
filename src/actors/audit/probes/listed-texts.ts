import type { Evidence } from '../../../domain/audit/records.ts';
import { findHiddenCharacters } from '../../../domain/audit/text/hidden-characters.ts';
import { assessText } from '../../../domain/audit/text/text-check.ts';
import {
  type DeclaredText,
  listTargetTexts,
  textContextOf,
} from '../../../domain/audit/text/texts.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { createProbe } from '../session/create-probe.ts';
import {
  hasNoDefinitions,
  LISTING_REQUESTS_MAX,
  listingEvidence,
  readDefinitions,
} from '../session/listed-definitions.ts';
import type { Sighting } from '../session/probe.ts';
import {
  describeOmitted,
  readTextPieces,
  SEARCHED_BOUNDS,
  WEIGHED_BOUNDS,
} from '../session/text-pieces.ts';

const NOTHING_DISCLOSED = {
  outcome: 'not_applicable',
  reason: 'the target discloses nothing',
} as const;
/** Minimum weight of a high-severity suspicion. */
const HIGH_SEVERITY_WEIGHT = 10;
/**
 * Detects texts that give the model instructions. An indicator only, because wording is no proof.
 */
export const instructionsInTexts = createProbe({
  probeId: 'instructions-in-texts',
  version: 2,
  category: 'ASI01',
  mode: 'passive',
  title: 'Texts of tools order the model about',
  requestsMax: LISTING_REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const recon = await readDefinitions(session, focus);
    if (hasNoDefinitions(recon)) return NOTHING_DISCLOSED;
    const found = new Map<string, Sighting>();
    const texts = listTargetTexts(recon);
    const leftOut = { chars: 0 };
    for await (const one of readTextPieces(texts, WEIGHED_BOUNDS, leftOut)) {
      const suspicion = assessText(one.text, textContextOf(one));
      if (suspicion === undefined || found.has(one.owner)) continue;
      found.set(one.owner, {
        title: `A text orders the model about: ${suspicion.signs[0]}`,
        severity: suspicion.weight >= HIGH_SEVERITY_WEIGHT ? 'high' : 'medium',
        status: 'indicator',
        ...toolField(one),
        evidence: listingEvidence(
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
      reason: describeOmitted(leftOut),
    };
  },
});

/** Detects invisible and confusable characters. A reproducible fact, not an indicator. */
export const hiddenCharacters = createProbe({
  probeId: 'hidden-characters',
  version: 1,
  category: 'ASI01',
  mode: 'passive',
  title: 'Texts of tools hold characters that nobody sees',
  requestsMax: LISTING_REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const recon = await readDefinitions(session, focus);
    if (hasNoDefinitions(recon)) return NOTHING_DISCLOSED;
    const texts = listTargetTexts(recon);
    const leftOut = { chars: 0 };
    let control: Evidence | null = null;
    const found = new Map<string, Sighting>();
    for await (const one of readTextPieces(texts, SEARCHED_BOUNDS, leftOut)) {
      const [hidden] = findHiddenCharacters(one.text);
      if (hidden === undefined) control ??= listingEvidence(one.owner, one.place, one.text);
      const key = `${hidden?.kind}/${one.owner}`;
      if (hidden === undefined || found.has(key)) continue;
      const says = hidden.says === '' ? '' : `, which say: ${hidden.says}`;
      found.set(key, {
        title: `A text holds ${hidden.kind}`,
        severity: hidden.kind === 'tag characters' ? 'high' : 'medium',
        status: 'unreproduced',
        ...toolField(one),
        evidence: listingEvidence(one.owner, one.place, `${hidden.count} ${hidden.kind}${says}`),
        control: null,
        remediation: 'Use only visible characters in texts.',
      });
    }
    const subjects = [...new Set(texts.map(({ owner }) => owner))];
    const findings = [...found.values()].map((one) => ({ ...one, control }));
    return { outcome: 'looked', subjects, findings, reason: describeOmitted(leftOut) };
  },
});

function toolField({ isTool, owner }: DeclaredText): { readonly tool?: string } {
  return isTool ? { tool: owner } : {};
}
