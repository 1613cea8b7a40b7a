import type { DataFault } from '../../domain/data/fault.ts';
import type { ResearchDocument } from '../../domain/research/document.ts';
import { type ChosenPart, extractClaims, SUMMARY } from '../../domain/research/extract.ts';
import { type GateResult, gateClaims, type Ledger } from '../../domain/research/gate.ts';
import type { ResearchRequest } from '../../domain/research/request.ts';
import type { BriefWriter, ClaimsWritten, PassagesRanked } from '../../domain/research/results.ts';
import { askWriter, fittingModels } from './ask-writer.ts';
import type { ResearchPorts } from './research-ports.ts';

/** Inputs for writing a brief. */
export interface BriefOrder {
  readonly request: ResearchRequest;
  readonly documents: readonly ResearchDocument[];
  readonly ranked: PassagesRanked;
  /** Unix time in milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/**
 * Writes a brief with a model if one is available, else by extraction. Both pass the same gate, and
 * extraction fills parts that the model left empty.
 */
export async function writeBrief(
  order: BriefOrder,
  { llm, clock }: Pick<ResearchPorts, 'llm' | 'clock'>,
): Promise<ClaimsWritten> {
  const ledger = ledgerOf(order);
  const extracted = gateClaims(extractClaims(chosenOf(order.ranked)), ledger);
  if (extracted.claims.length === 0) return written(extracted, WITHOUT_MODEL, []);
  const models = fittingModels(llm, order);
  if (models.length === 0) return written(extracted, noModel(llm.models.length), []);
  const faults: DataFault[] = [];
  // If there is only one model, an unreadable answer is retried once.
  const [only] = models;
  const places = models.length === 1 && only !== undefined ? [only, only] : models;
  for (const { modelId } of places) {
    if (models.length === 1 && faults[0] !== undefined && !isUnread(faults[0])) break;
    const asked = await askWriter({ llm, clock }, modelId, order);
    if ('fault' in asked) {
      faults.push(asked.fault);
      continue;
    }
    const passed = gateClaims(asked.drafts, ledger);
    if (hasAnswer(passed)) {
      const writer = { kind: 'model' as const, model: modelId, note: null };
      return written(filled(passed, extracted), writer, faults);
    }
    const note = "None of the model's claims passed the checks.";
    return written({ ...extracted, ...droppedWith(passed, extracted) }, instead(note), faults);
  }
  const [first] = faults;
  return written(extracted, instead(first?.detail ?? 'No model was called.'), faults);
}

function isUnread({ code }: DataFault): boolean {
  return code === 'upstream_bad_payload';
}

const WITHOUT_MODEL: BriefWriter = { kind: 'extractive', model: null, note: null };

function noModel(configured: number): BriefWriter {
  if (configured === 0) return WITHOUT_MODEL;
  return instead('Every configured model could cost more than the price of this brief.');
}

function instead(note: string): BriefWriter {
  return { kind: 'extractive', model: null, note };
}

function hasAnswer({ claims }: GateResult): boolean {
  return claims.some(({ part }) => /^q\d+$/.test(part));
}

/** Returns the model's claims, with extracted claims for parts that it left empty. */
function filled(passed: GateResult, extracted: GateResult): GateResult {
  const parts = new Set(passed.claims.map(({ part }) => part));
  const rest = extracted.claims.filter(({ part }) => !parts.has(part));
  return { ...passed, claims: [...passed.claims, ...rest] };
}

function droppedWith(passed: GateResult, extracted: GateResult) {
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

function written(
  { claims, dropped, counts }: GateResult,
  writer: BriefWriter,
  faults: readonly DataFault[],
): ClaimsWritten {
  return {
    claims: inOrder(claims).map((claim) => ({ ...claim, cites: [...claim.cites] })),
    dropped: [...dropped],
    counts,
    writer,
    faults: [...faults],
  };
}

function inOrder(claims: GateResult['claims']): GateResult['claims'] {
  return [
    ...claims.filter(({ part }) => part === SUMMARY),
    ...claims.filter(({ part }) => part !== SUMMARY),
  ];
}

function ledgerOf({ documents, ranked }: BriefOrder): Ledger {
  return {
    passages: new Map(ranked.passages.map((passage) => [passage.name, passage])),
    documents: new Map(documents.map((document) => [document.id, document])),
  };
}

function chosenOf({ passages, parts }: PassagesRanked): readonly ChosenPart[] {
  const byName = new Map(passages.map((passage) => [passage.name, passage]));
  return parts.map(({ id, chosen }) => ({
    id,
    chosen: chosen.flatMap(({ name, score }) => {
      const passage = byName.get(name);
      return passage === undefined ? [] : [{ name, score, passage }];
    }),
  }));
}
