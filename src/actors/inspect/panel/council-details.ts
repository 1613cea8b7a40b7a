import type { BlobStore } from '../../../domain/common/blob-store.ts';
import { collectExchanges } from '../../../domain/council/conditions.ts';
import { readFactNote, readMergeNote, readRedLineNote } from '../../../domain/council/notes.ts';
import { CouncilBrief } from '../../../domain/council/records.ts';
import type { CouncilDetails } from '../../../domain/inspect/details.ts';
import type { PanelNotes } from '../../../domain/panel/definition.ts';
import { listNoteHashes } from '../../../machines/panel/panel-context.ts';
import { addTurnTexts } from '../../panel/transcript.ts';
import { loadNotes } from '../../panel/turn-prompt.ts';
import type { DetailFacts } from './panel-view.ts';

/** Returns the details of a council: recomputed numbers, red lines, questions, and conditions. */
export function createCouncilDetails({ brief, context, blobs }: DetailFacts): CouncilDetails {
  const { vendor, product, background, startsOn } = CouncilBrief.parse(brief);
  const { input, turns, tally } = context;
  const notes = loadStoredNotes(blobs, listNoteHashes(context));
  const merged = readMergeNote(notes);
  const adjusted = tally?.adjusted;
  const nameOf = (id: string) => brief.options.find(({ optionId }) => optionId === id)?.name ?? id;
  return {
    kind: 'council',
    vendor,
    product,
    startsOn,
    background: background ?? null,
    facts: readFactNote(notes) ?? null,
    redLines: readRedLineNote(notes) ?? null,
    exchanges: collectExchanges({ turns: addTurnTexts(turns, blobs), seats: input.seats }),
    merged: merged === undefined ? null : { conditions: merged.conditions, gaps: merged.gaps },
    adjusted:
      adjusted === undefined ? null : { from: nameOf(adjusted.from), why: [...adjusted.why] },
  };
}

/** Omits notes that are no longer stored, so that the rest can still be shown. */
function loadStoredNotes(
  blobs: BlobStore,
  shas: Readonly<Record<string, string>> = {},
): PanelNotes {
  const kept = Object.entries(shas).filter(([, sha]) => blobs.get(sha) !== undefined);
  return loadNotes(blobs, Object.fromEntries(kept));
}
