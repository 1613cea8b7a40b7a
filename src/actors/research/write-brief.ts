import type { DataFailure } from '../../domain/data/data-failure.ts';
import { extractClaims, type SelectedPart, SUMMARY_PART } from '../../domain/research/extract.ts';
import type { BriefWriter, ClaimsWritten, PassagesRanked } from '../../domain/research/results.ts';
import {
  type CitationContext,
  type ValidationResult,
  validateClaims,
} from '../../domain/research/validate-claims.ts';
import { affordableModels, askWriter, type BriefOrder } from './ask-writer.ts';
import type { ResearchPorts } from './research-ports.ts';

/**
 * Writes a brief with a model if one is available, else by extraction. Both pass the same gate, and
 * extraction fills parts that the model left empty.
 */
export async function writeBrief(
  order: BriefOrder,
  { llm, clock }: Pick<ResearchPorts, 'llm' | 'clock'>,
): Promise<ClaimsWritten> {
  const ledger = createLedger(order);
  const extracted = validateClaims(extractClaims(joinChosen(order.ranked)), ledger);
  if (extracted.claims.length === 0) return createResult(extracted, WITHOUT_MODEL, []);
  const models = affordableModels(llm, order);
  if (models.length === 0)
    return createResult(extracted, writerWithoutModel(llm.models.length), []);
  const faults: DataFailure[] = [];
  // If there is only one model, an unreadable answer is retried once.
  const [only] = models;
  const places = models.length === 1 && only !== undefined ? [only, only] : models;
  for (const { modelId } of places) {
    if (models.length === 1 && faults[0] !== undefined && !isUnreadable(faults[0])) break;
    const asked = await askWriter({ llm, clock }, modelId, order);
    if ('fault' in asked) {
      faults.push(asked.fault);
      continue;
    }
    const passed = validateClaims(asked.drafts, ledger);
    if (hasAnswer(passed)) {
      const writer = { kind: 'model' as const, model: modelId, note: null };
      return createResult(fillGaps(passed, extracted), writer, faults);
    }
    const note = "None of the model's claims passed the checks.";
    return createResult(
      { ...extracted, ...mergeDropped(passed, extracted) },
      extractiveWriter(note),
      faults,
    );
  }
  const [first] = faults;
  return createResult(extracted, extractiveWriter(first?.detail ?? 'No model was called.'), faults);
}

function isUnreadable({ code }: DataFailure): boolean {
  return code === 'upstream_bad_payload';
}

const WITHOUT_MODEL: BriefWriter = { kind: 'extractive', model: null, note: null };

function writerWithoutModel(configured: number): BriefWriter {
  if (configured === 0) return WITHOUT_MODEL;
  return extractiveWriter('Every configured model could cost more than the price of this brief.');
}

function extractiveWriter(note: string): BriefWriter {
  return { kind: 'extractive', model: null, note };
}

function hasAnswer({ claims }: ValidationResult): boolean {
  return claims.some(({ part }) => /^q\d+$/.test(part));
}

/** Returns the model's claims, with extracted claims for parts that it left empty. */
function fillGaps(passed: ValidationResult, extracted: ValidationResult): ValidationResult {
  const parts = new Set(passed.claims.map(({ part }) => part));
  const rest = extracted.claims.filter(({ part }) => !parts.has(part));
  return { ...passed, claims: [...passed.claims, ...rest] };
}

function mergeDropped(passed: ValidationResult, extracted: ValidationResult) {
  const { counts } = passed;
  return {
    dropped: [...passed.dropped, ...extracted.dropped],
    counts: {
      claimsChecked: counts.claimsChecked + extracted.counts.claimsChecked,
      citationsChecked: counts.citationsChecked + extracted.counts.citationsChecked,
      citationsDropped: counts.citationsDropped + extracted.counts.citationsDropped,
      numbersChecked: counts.numbersChecked + extracted.counts.numbersChecked,
    },
  };
}

function createResult(
  { claims, dropped, counts }: ValidationResult,
  writer: BriefWriter,
  faults: readonly DataFailure[],
): ClaimsWritten {
  return {
    claims: summaryFirst(claims).map((claim) => ({ ...claim, cites: [...claim.cites] })),
    dropped: [...dropped],
    counts,
    writer,
    faults: [...faults],
  };
}

function summaryFirst(claims: ValidationResult['claims']): ValidationResult['claims'] {
  return [
    ...claims.filter(({ part }) => part === SUMMARY_PART),
    ...claims.filter(({ part }) => part !== SUMMARY_PART),
  ];
}

function createLedger({ documents, ranked }: BriefOrder): CitationContext {
  return {
    passages: new Map(ranked.passages.map((passage) => [passage.name, passage])),
    documents: new Map(documents.map((document) => [document.id, document])),
  };
}

function joinChosen({ passages, parts }: PassagesRanked): readonly SelectedPart[] {
  const byName = new Map(passages.map((passage) => [passage.name, passage]));
  return parts.map(({ id, chosen }) => ({
    id,
    chosen: chosen.flatMap(({ name, score }) => {
      const passage = byName.get(name);
      return passage === undefined ? [] : [{ name, score, passage }];
    }),
  }));
}
