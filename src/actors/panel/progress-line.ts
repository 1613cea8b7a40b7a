import { readableLine } from '../../domain/common/readable.ts';
import type { PanelDefinition, PanelOption } from '../../domain/panel/definition.ts';
import { plannedTurns, progressAfter, seatPhaseOf } from '../../domain/panel/plan.ts';
import { type PanelInput, Turn } from '../../domain/panel/records.ts';
import { costReport, named } from '../../domain/panel/report.ts';
import { seatLetter } from '../../domain/panel/seating.ts';
import type { JournalEntry } from '../../runtime/engine/types.ts';
import { HeartbeatLine, type LineParts } from '../job/heartbeat-line.ts';

/** Maximum length of a message before the totals, in characters. */
const MESSAGE_CHARS_MAX = 120;

/** The panel whose progress is reported. */
export interface LineFacts {
  readonly panel: PanelDefinition;
  readonly input: PanelInput;
  readonly turns: readonly Turn[];
  readonly options: readonly PanelOption[];
}

/**
 * Reports the progress of a panel in lines such as `rebuttal 1/1 · seat C: Postgres · 14/33 turns ·
 * $0.021 of $1.00`. Progress increases with every line. Starts reporting immediately.
 */
export class ProgressLine {
  readonly #facts: LineFacts;
  readonly #turns: Turn[];
  readonly #line: HeartbeatLine;

  constructor(facts: LineFacts, { clock, onProgress }: LineParts) {
    this.#facts = facts;
    this.#turns = [...facts.turns];
    this.#line = new HeartbeatLine({
      clock,
      onProgress: (step) => onProgress?.({ ...step, message: this.#withTotals(step.message) }),
    });
    const { seats, mode } = facts.input;
    this.#tell(`${seats.length} seats (${mode})`);
  }

  /** Reports a journal row if it contains a turn. */
  take(entry: JournalEntry): void {
    const turn = Turn.safeParse(entry.event['output']);
    if (entry.entry !== 'event' || !turn.success) return;
    this.#turns.push(turn.data);
    this.#tell(this.#wordTurn(turn.data));
  }

  close(): void {
    this.#line.close();
  }

  #tell(message: string): void {
    const { panel, input } = this.#facts;
    const progress = progressAfter(panel, input, this.#turns);
    this.#line.tell({ progress, total: plannedTurns(panel, input), message });
  }

  #wordTurn({ phase, round, seatId, status, position }: Turn): string {
    const { panel, input, options } = this.#facts;
    const { answer, inRound } = seatPhaseOf(panel, phase) ?? {};
    const where = inRound === true ? `${phase} ${round}/${input.maxRounds}` : phase;
    const said = {
      stand: named(options, position ?? '').name,
      talk: 'has spoken',
      // Ballots stay secret until they are counted.
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
    return `${readableLine(message, MESSAGE_CHARS_MAX)} · ${done}${cost}`;
  }
}
