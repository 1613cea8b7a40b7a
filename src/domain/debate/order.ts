import type { MicroUsdText } from '../money.ts';
import type { Seat, TurnPhase } from './records.ts';

/** What a seat argued last: its position and, by hash, the text. */
export interface Standpoint {
  readonly position: string;
  readonly argumentSha: string;
}

/**
 * What a seat may see of the others. It names nobody: no seat, model, family or vendor. Labels mean
 * something within one view only.
 */
export interface PeerView {
  readonly own: Standpoint | null;
  readonly peers: readonly (Standpoint & { readonly label: string })[];
  /** Seats per option id, without names; absent on votes, which are secret. */
  readonly counts?: Readonly<Record<string, number>>;
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
  /** The most that this turn may cost, all attempts together. */
  readonly allowanceMicroUsd: MicroUsdText;
  /** For the whole turn, in milliseconds. */
  readonly timeoutMs: number;
}
