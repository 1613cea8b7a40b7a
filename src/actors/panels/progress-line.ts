import type { PanelDefinition, PanelOption } from '../../domain/panel/definition.ts';
import { plannedTurns, progressAfter, seatPhaseOf } from '../../domain/panel/plan.ts';
import { type PanelInput, Turn } from '../../domain/panel/records.ts';
import { costReport, named } from '../../domain/panel/report.ts';
import { seatLetter } from '../../domain/panel/seating.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { Progress } from '../../domain/tool.ts';
import type { JournalEntry } from '../../runtime/types.ts';

/** Longest silence on the line: a client may give up a call that says nothing. */
export const HEARTBEAT_MS = 15 * SECOND_MS;
/** Most characters of what stands before the totals in a line. */
const MESSAGE_CHARS_MAX = 120;

/** What a line speaks of. */
export interface LineFacts {
  readonly panel: PanelDefinition;
  readonly input: PanelInput;
  readonly turns: readonly Turn[];
  readonly options: readonly PanelOption[];
}

/**
 * Tells the progress of a panel in lines such as `rebuttal 1/1 · seat C: Postgres · 14/33 turns ·
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
    this.#tell(this.#progress(), this.#message);
  }

  /** Takes a row of the journal; rows that bring no turn are not told. */
  take(entry: JournalEntry): void {
    const turn = Turn.safeParse(entry.event['output']);
    if (this.#isClosed || entry.entry !== 'event' || !turn.success) return;
    this.#turns.push(turn.data);
    this.#message = this.#wordTurn(turn.data);
    this.#tell(this.#progress(), this.#message);
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
      const total = plannedTurns(this.#facts.panel, this.#facts.input);
      this.#onProgress?.({ progress, total, message: this.#withTotals(message) });
    }
    this.#stopHeartbeat();
    this.#stopHeartbeat = this.#clock.at(this.#clock.now() + HEARTBEAT_MS, () => this.#beat());
  }

  #progress(): number {
    const { panel, input } = this.#facts;
    return progressAfter(panel, input, this.#turns);
  }

  #wordTurn({ phase, round, seatId, status, position }: Turn): string {
    const { panel, input, options } = this.#facts;
    const { answer, inRound } = seatPhaseOf(panel, phase) ?? {};
    const where = inRound === true ? `${phase} ${round}/${input.maxRounds}` : phase;
    const said = {
      stand: named(options, position ?? '').name,
      talk: 'has spoken',
      // Ballots are secret until the count.
      ballot: 'has voted',
    }[answer ?? 'talk'];
    const told = panel.isSecret === true ? 'has spoken' : said;
    return `${where} · ${this.#nameOf(seatId)}: ${status === 'ok' ? told : status}`;
  }

  #nameOf(seatId: string): string {
    const { panel, input } = this.#facts;
    const role = input.seats.find((seat) => seat.seatId === seatId)?.role;
    return panel.showsRoles && role !== undefined ? role : `seat ${seatLetter(seatId)}`;
  }

  #withTotals(message: string): string {
    const { panel, input } = this.#facts;
    const done = `${this.#turns.length}/${plannedTurns(panel, input)} turns`;
    const { spent, budget } = costReport(input, this.#turns);
    const cost = budget.micro_usd === '0' ? '' : ` · $${spent.amount} of $${budget.amount}`;
    return `${message.slice(0, MESSAGE_CHARS_MAX)} · ${done}${cost}`;
  }
}
