import type { MicroUsdText } from '../common/money.ts';
import type { Seat, TurnPhase } from './records.ts';

/** The last position of a seat, with its argument by hash. */
export interface SeatPosition {
  readonly position: string;
  readonly argumentSha: string;
  /** Further content of the panel's own form, by hash. */
  readonly contentSha?: string;
}

/** A turn that addresses the viewer: label of the speaker, and texts by hash. */
export interface AddressedTurn {
  readonly label: string;
  readonly argumentSha: string;
  readonly contentSha?: string;
}

/**
 * What a seat may see of other seats. It contains no seat id, model, family or vendor. Labels are
 * letters valid only in one view, or roles if the panel shows them.
 */
export interface PeerView {
  readonly own: SeatPosition | null;
  readonly peers: readonly (SeatPosition & { readonly label: string })[];
  /** Number of seats per option id; absent in votes, which are secret. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Turns that address the viewer, on panels whose seats address each other. */
  readonly heard?: readonly AddressedTurn[];
}

/** Complete input of one turn, as plain JSON. */
export interface TurnOrder {
  /** `panelId/phase/round/seatId`. */
  readonly turnId: string;
  readonly phase: TurnPhase;
  readonly round: number;
  readonly seat: Seat;
  readonly briefSha: string;
  readonly seed: string;
  readonly view?: PeerView;
  /** Evidence that the seat cited before. Only new evidence supports a change of position. */
  readonly citedIds: readonly string[];
  /** Option id that this seat must argue against in rebuttals. */
  readonly devilAgainst?: string;
  /** Results of code phases, by phase and hash; only on panels that compute. */
  readonly notes?: Readonly<Record<string, string>>;
  /** Roles of all seats by id, on panels that show them. */
  readonly roles?: Readonly<Record<string, string>>;
  /** Maximum cost of this turn over all attempts. */
  readonly allowanceMicroUsd: MicroUsdText;
  /** Timeout of the whole turn, in milliseconds. */
  readonly timeoutMs: number;
}

/** The prompt of a seat. */
export interface TurnPrompt {
  readonly system: string;
  readonly prompt: string;
  readonly schema: { readonly name: string; readonly jsonSchema: Record<string, unknown> };
}
