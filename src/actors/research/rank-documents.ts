import { nextTurn } from '../../domain/common/next-turn.ts';
import { choosePassages, type ReadPassage, readPassages } from '../../domain/research/choose.ts';
import type { ResearchDocument } from '../../domain/research/document.ts';
import type { Passage } from '../../domain/research/passage.ts';
import { partsOf } from '../../domain/research/plan.ts';
import type { ResearchRequest } from '../../domain/research/request.ts';
import type { PassagesRanked } from '../../domain/research/results.ts';
import { textPassages } from '../../domain/research/text-passages.ts';

/** Chooses the passages that address each part of the request. Lets other work run in between. */
export async function rankDocuments(
  request: ResearchRequest,
  documents: readonly ResearchDocument[],
): Promise<PassagesRanked> {
  const library: ReadPassage[] = [];
  let suspicious = 0;
  for (const document of documents) {
    const cut = textPassages(document);
    library.push(...readPassages(cut.passages, document));
    suspicious += cut.suspicious;
    await nextTurn();
  }
  const names = new Map<Passage, string>();
  const parts: PassagesRanked['parts'] = [];
  for (const part of partsOf(request)) {
    const chosen = choosePassages(part, library).map(({ passage, score }) => {
      const name = names.get(passage) ?? `p${names.size + 1}`;
      names.set(passage, name);
      return { name, score };
    });
    parts.push({ id: part.id, chosen });
    await nextTurn();
  }
  return { passages: [...names].map(([one, name]) => ({ ...one, name })), parts, suspicious };
}
