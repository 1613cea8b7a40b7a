import { yieldToEventLoop } from '../../domain/common/yield-to-event-loop.ts';
import type { ResearchDocument } from '../../domain/research/document.ts';
import type { Passage } from '../../domain/research/passage.ts';
import { planParts } from '../../domain/research/plan.ts';
import type { ResearchRequest } from '../../domain/research/request.ts';
import type { PassagesRanked } from '../../domain/research/results.ts';
import {
  type IndexedPassage,
  indexPassages,
  selectPassages,
} from '../../domain/research/select-passages.ts';
import { splitPassages } from '../../domain/research/text-passages.ts';

/** Chooses the passages that address each part of the request. Lets other work run in between. */
export async function rankDocuments(
  request: ResearchRequest,
  documents: readonly ResearchDocument[],
): Promise<PassagesRanked> {
  const library: IndexedPassage[] = [];
  let suspicious = 0;
  for (const document of documents) {
    const cut = splitPassages(document);
    library.push(...indexPassages(cut.passages, document));
    suspicious += cut.suspicious;
    await yieldToEventLoop();
  }
  const names = new Map<Passage, string>();
  const parts: PassagesRanked['parts'] = [];
  for (const part of planParts(request)) {
    const chosen = selectPassages(part, library).map(({ passage, score }) => {
      const name = names.get(passage) ?? `p${names.size + 1}`;
      names.set(passage, name);
      return { name, score };
    });
    parts.push({ id: part.id, chosen });
    await yieldToEventLoop();
  }
  return { passages: [...names].map(([one, name]) => ({ ...one, name })), parts, suspicious };
}
