import type { Ballot, DebateBrief, DebateInput, Turn } from './records.ts';
import type { DebateResult } from './result.ts';
import type { Tally } from './tally.ts';

/** What a result is written from. */
export interface ReportFacts {
  readonly input: DebateInput;
  readonly outcome: DebateResult['outcome'];
  readonly reason: string | null;
  readonly turns: readonly Turn[];
  /** Turns that were begun and cut off. */
  readonly cutTurns: number;
  /** With their reasons. Empty when nothing was counted. */
  readonly ballots: readonly Ballot[];
  readonly tally: Tally | null;
  readonly options: DebateBrief['options'];
  readonly transcriptRoot: string | null;
}
