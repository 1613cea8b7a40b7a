import { toReadableLine } from '../../domain/common/readable.ts';
import type { PanelDefinition, PanelOption } from '../../domain/panel/definition.ts';
import { computeProgress, countPlannedTurns, findSeatPhase } from '../../domain/panel/plan.ts';
import { type PanelInput, Turn } from '../../domain/panel/records.ts';
import { buildCostReport, namedOption } from '../../domain/panel/report.ts';
import { seatLetter } from '../../domain/panel/seating.ts';
import type { JournalEntry } from '../../runtime/engine/types.ts';
import { ProgressReporter, type ProgressReporterDeps } from '../job/progress-reporter.ts';

/** Maximum length of a message before the totals, in characters. */
const MESSAGE_CHARS_MAX = 120;

/** The panel whose progress is reported. */
export interface PanelProgressFacts {
  readonly panel: PanelDefinition;
  readonly input: PanelInput;
  readonly turns: readonly Turn[];
  readonly options: readonly PanelOption[];
}

/**
 * Reports the progress of a panel in lines such as `rebuttal 1/1 · seat C: Postgres · 14/33 turns ·
 * $0.021 of $1.00`. Progress increases with every line. Starts reporting immediately.
 */
export class PanelProgress {
  readonly #facts: PanelProgressFacts;
  readonly #turns: Turn[];
  readonly #reporter: ProgressReporter;

  constructor(facts: PanelProgressFacts, { clock, onProgress }: ProgressReporterDeps) {
    this.#facts = facts;
    this.#turns = [...facts.turns];
    this.#reporter = new ProgressReporter({
      clock,
      onProgress: (step) => onProgress?.({ ...step, message: this.#withTotals(step.message) }),
    });
    const { seats, mode } = facts.input;
    this.#report(`${seats.length} seats (${mode})`);
  }

  /** Reports a journal row if it contains a turn. */
  onEntry(entry: JournalEntry): void {
    const turn = Turn.safeParse(entry.event['output']);
    if (entry.entry !== 'event' || !turn.success) return;
    this.#turns.push(turn.data);
    this.#report(this.#describeTurn(turn.data));
  }

  close(): void {
    this.#reporter.close();
  }

  #report(message: string): void {
    const { panel, input } = this.#facts;
    const progress = computeProgress(panel, input, this.#turns);
    this.#reporter.reportStep({ progress, total: countPlannedTurns(panel, input), message });
  }

  #describeTurn({ phase, round, seatId, status, position }: Turn): string {
    const { panel, input, options } = this.#facts;
    const { answer, inRound } = findSeatPhase(panel, phase) ?? {};
    const where = inRound === true ? `${phase} ${round}/${input.maxRounds}` : phase;
    const said = {
      stand: namedOption(options, position ?? '').name,
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
    const done = `${this.#turns.length}/${countPlannedTurns(panel, input)} turns`;
    const { spent, budget } = buildCostReport(input, this.#turns);
    const cost = budget.micro_usd === '0' ? '' : ` · $${spent.amount} of $${budget.amount}`;
    return `${toReadableLine(message, MESSAGE_CHARS_MAX)} · ${done}${cost}`;
  }
}
