import { type DebateBrief } from '../../domain/debate/records.ts';
import { type PanelInput, Turn } from '../../domain/panel/records.ts';
import { costReport, named } from '../../domain/debate/report.ts';
import { seatLetter } from '../../domain/debate/seating.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { Progress } from '../../domain/tool.ts';
import { plannedTurns, progressAfter } from '../../machines/parts/panel-context.ts';
import type { JournalEntry } from '../../runtime/types.ts';

/** Longest silence on the line: a client may give up a call that says nothing. */
export const HEARTBEAT_MS = 15 * SECOND_MS;
/** Most characters of what stands before the totals in a line. */
const MESSAGE_CHARS_MAX = 120;

/** What a line speaks of. */
export interface LineFacts {
  readonly input: PanelInput;
  readonly turns: readonly Turn[];
  readonly options: DebateBrief['options'];
}

/**
 * Tells the progress of a debate in lines such as `rebuttal 1/1 · seat C: Postgres · 14/33 turns ·
 * $0.021 of $1.00`. The number grows with every line. Speaks at once; `close` ends it.
 */
export class ProgressLine {
  readonly #facts: LineFacts;
  readonly #turns: Turn[];
  readonly #clock: Clock;
  readonly #onProgress: ((step: Progress) => void) | undefined;
  #told = -1;
  #message: string;
  #stopHeartbeat: () => void = () => undefined;
  #isClosed = false;

  constructor(
    facts: LineFacts,
    o: { readonly clock: Clock; readonly onProgress?: (step: Progress) => void },
  ) {
    this.#facts = facts;
    this.#turns = [...facts.turns];
    this.#clock = o.clock;
    this.#onProgress = o.onProgress;
    const { seats, mode } = facts.input;
    this.#message = `${seats.length} seats (${mode})`;
    this.#tell(progressAfter(facts.input, this.#turns), this.#message);
  }

  /** Takes a row of the journal; rows that bring no turn are not told. */
  take(entry: JournalEntry): void {
    const turn = Turn.safeParse(entry.event['output']);
    if (this.#isClosed || entry.entry !== 'event' || !turn.success) return;
    this.#turns.push(turn.data);
    this.#message = this.#wordTurn(turn.data);
    this.#tell(progressAfter(this.#facts.input, this.#turns), this.#message);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopHeartbeat();
  }

  #beat(): void {
    // Half of what is missing to the next turn: it grows for ever and never reaches it.
    const next = Math.floor(this.#told) + 1;
    this.#tell(this.#told + (next - this.#told) / 2, `still working: ${this.#message}`);
  }

  #tell(progress: number, message: string): void {
    if (progress > this.#told) {
      this.#told = progress;
      const total = plannedTurns(this.#facts.input);
      this.#onProgress?.({ progress, total, message: this.#withTotals(message) });
    }
    this.#stopHeartbeat();
    this.#stopHeartbeat = this.#clock.at(this.#clock.now() + HEARTBEAT_MS, () => this.#beat());
  }

  #wordTurn({ phase, round, seatId, status, position }: Turn): string {
    const { input, options } = this.#facts;
    const where = phase === 'rebuttal' ? `rebuttal ${round}/${input.maxRounds}` : phase;
    // Ballots are secret until the count.
    const said = phase === 'vote' ? 'has voted' : named(options, position ?? '').name;
    return `${where} · seat ${seatLetter(seatId)}: ${status === 'ok' ? said : status}`;
  }

  #withTotals(message: string): string {
    const { input } = this.#facts;
    const done = `${this.#turns.length}/${plannedTurns(input)} turns`;
    const { spent, budget } = costReport(input, this.#turns);
    const cost = budget.micro_usd === '0' ? '' : ` · $${spent.amount} of $${budget.amount}`;
    return `${message.slice(0, MESSAGE_CHARS_MAX)} · ${done}${cost}`;
  }
}
