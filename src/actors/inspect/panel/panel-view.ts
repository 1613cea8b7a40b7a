import type { BlobStore } from '../../../domain/common/blob-store.ts';
import type { JsonObject } from '../../../domain/common/json.ts';
import type { PanelDetails } from '../../../domain/inspect/details.ts';
import type { PanelFrame, PanelLine } from '../../../domain/inspect/wire.ts';
import type { PanelBrief } from '../../../domain/panel/definition.ts';
import type { PanelContext } from '../../../machines/panel/panel-context.ts';
import type { Ev, JournalEntry, View } from '../../../runtime/engine/types.ts';

/** Inputs of a panel view. */
export interface PanelFacts {
  readonly view: View;
  readonly blobs: BlobStore;
  /** Completion time of each turn in Unix milliseconds, by the id from `turnOf`. */
  readonly turnTimes: ReadonlyMap<string, number>;
}

/** Inputs of panel details. */
export interface DetailFacts {
  readonly brief: PanelBrief;
  readonly context: PanelContext;
  readonly view: View;
  readonly blobs: BlobStore;
}

/** The specific parts of one kind of panel. */
export interface PanelExtras {
  /** States before the phases, in order, with their display names. */
  readonly before?: readonly { readonly state: string; readonly name: string }[];
  /** Returns the details. The same facts must give the same details. */
  details(facts: DetailFacts): PanelDetails;
}

/** The console view of one kind of panel. */
export interface PanelView {
  readonly kind: string;
  readonly title: string;
  /** Returns the turn that a journal row finished, if any. */
  turnOf(entry: JournalEntry): string | undefined;
  frame(facts: PanelFacts): PanelFrame;
  line(facts: Omit<PanelFacts, 'turnTimes'>): PanelLine;
  /**
   * Returns the live speech in an event, if any. Texts with equal `speaker` values are
   * concatenated.
   */
  speech(event: Ev): Speech | undefined;
}

/** Part of an unfinished turn. */
export interface Speech {
  /** The seat and turn, in fields that consoles may see. */
  readonly speaker: JsonObject;
  readonly text: string;
}
