import type { MicroUsdText } from '../common/money.ts';
import type { Seat, TurnPhase } from './records.ts';

/** What a seat argued last: its position and, by hash, the text. */
export interface Standpoint {
  readonly position: string;
  readonly argumentSha: string;
  /** What the panel's own form holds beside it, by hash. */
  readonly contentSha?: string;
}

/** A turn that is spoken to the viewer: who speaks by label, the words by hash. */
export interface HeardTurn {
  readonly label: string;
  readonly argumentSha: string;
  readonly contentSha?: string;
}

/**
 * What a seat may see of the others. It names no seat, model, family or vendor; labels are letters
 * that mean something within one view only, or roles on a panel that shows them.
 */
export interface PeerView {
  readonly own: Standpoint | null;
  readonly peers: readonly (Standpoint & { readonly label: string })[];
  /** Seats per option id, without names; absent on votes, which are secret. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Turns that speak to the viewer, on panels whose seats speak to each other. */
  readonly heard?: readonly HeardTurn[];
}

/** The input of one turn: everything that the effect needs, in plain JSON. */
export interface TurnOrder {
  /** `panelId/phase/round/seatId`. */
  readonly turnId: string;
  readonly phase: TurnPhase;
  readonly round: number;
  readonly seat: Seat;
  readonly briefSha: string;
  readonly seed: string;
  readonly view?: PeerView;
  /** Evidence that the seat has cited so far: a new one supports a change of mind. */
  readonly citedIds: readonly string[];
  /** Option id that this seat is assigned to argue against, in rebuttals. */
  readonly devilAgainst?: string;
  /** What was computed so far, by phase, each by hash; only on panels that compute. */
  readonly notes?: Readonly<Record<string, string>>;
  /** Roles of all seats by id, on panels that show them. */
  readonly roles?: Readonly<Record<string, string>>;
  /** The most that this turn may cost, all attempts together. */
  readonly allowanceMicroUsd: MicroUsdText;
  /** For the whole turn, in milliseconds. */
  readonly timeoutMs: number;
}

/** A prompt as a seat gets it. */
export interface TurnPrompt {
  readonly system: string;
  readonly prompt: string;
  readonly schema: { readonly name: string; readonly jsonSchema: Record<string, unknown> };
}
