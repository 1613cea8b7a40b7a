import type { BlobStore } from '../../../domain/common/blob-store.ts';
import type { JsonObject } from '../../../domain/common/json.ts';
import type { PanelDetails } from '../../../domain/inspect/details.ts';
import type { PanelFrame, PanelLine } from '../../../domain/inspect/wire.ts';
import type { PanelBrief } from '../../../domain/panel/definition.ts';
import type { PanelContext } from '../../../machines/panel/panel-context.ts';
import type { Ev, JournalEntry, View } from '../../../runtime/engine/types.ts';

/** What a panel is shown from. */
export interface PanelFacts {
  readonly view: View;
  readonly blobs: BlobStore;
  /** When each turn was finished, in milliseconds, by the id that `turnOf` gave. */
  readonly turnTimes: ReadonlyMap<string, number>;
}

/** What the details of a panel are made from. */
export interface DetailFacts {
  readonly brief: PanelBrief;
  readonly context: PanelContext;
  readonly view: View;
  readonly blobs: BlobStore;
}

/** What one kind of panel has to show beside what all have. */
export interface PanelExtras {
  /** States before the phases, in their order, with the names that they are shown by. */
  readonly before?: readonly { readonly state: string; readonly name: string }[];
  /** The same facts give the same details. */
  details(facts: DetailFacts): PanelDetails;
}

/** How panels of one kind are shown. */
export interface PanelView {
  readonly kind: string;
  readonly title: string;
  /** The turn that a row finished, if it finished one. */
  turnOf(entry: JournalEntry): string | undefined;
  frame(facts: PanelFacts): PanelFrame;
  line(facts: Omit<PanelFacts, 'turnTimes'>): PanelLine;
  /** What a seat says right now; texts of equal `speaker`s follow each other. */
  speech(event: Ev): Speech | undefined;
}

/** A part of a turn that is not finished. */
export interface Speech {
  /** Who speaks, and in which turn: members that a console is shown. */
  readonly speaker: JsonObject;
  readonly text: string;
}
