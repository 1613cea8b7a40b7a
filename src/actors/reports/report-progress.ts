import type { Clock } from '../../domain/ports/clock.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { Progress } from '../../domain/tool.ts';
import type { ReportView } from './report-view.ts';

/** Longest silence on the line: a client may give up a call that says nothing. */
export const HEARTBEAT_MS = 15 * SECOND_MS;
/** Steps around those of the plan: planning before them, and the answer behind them. */
const STEPS_AROUND = 2;

/**
 * Tells the progress of a report in lines such as `step 2/5: Filings · 3 sources`. The number only
 * grows; a long silence is broken. `close` ends it.
 */
export class ReportLine {
  readonly #clock: Clock;
  readonly #onProgress: ((step: Progress) => void) | undefined;
  #told = -1;
  #total = 0;
  #message = '';
  #stopHeartbeat: () => void = () => undefined;
  #isClosed = false;

  constructor(o: { readonly clock: Clock; readonly onProgress?: (step: Progress) => void }) {
    this.#clock = o.clock;
    this.#onProgress = o.onProgress;
  }

  /** Tells where a report stands, unless that is no news. */
  tell(view: ReportView): void {
    if (this.#isClosed) return;
    this.#total = view.context.steps.length + STEPS_AROUND;
    this.#message = lineOf(view);
    this.#say(progressOf(view), this.#message);
  }

  /** Tells what the running step says of itself. */
  show(text: string): void {
    if (this.#isClosed || this.#told < 0) return;
    this.#say(this.#between(), `${this.#message} · ${text}`);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopHeartbeat();
  }

  #say(progress: number, message: string): void {
    if (progress > this.#told) {
      this.#told = progress;
      this.#onProgress?.({ progress, total: this.#total, message });
    }
    this.#stopHeartbeat();
    this.#stopHeartbeat = this.#clock.at(this.#clock.now() + HEARTBEAT_MS, () =>
      this.#say(this.#between(), `still working: ${this.#message}`),
    );
  }

  /** Half of what is missing to the next step: it grows for ever and never reaches it. */
  #between(): number {
    const next = Math.floor(this.#told) + 1;
    return this.#told + (next - this.#told) / 2;
  }
}

/** How far a report has come, in steps. */
export function progressOf({ context, status, value }: ReportView): number {
  const { steps, ends } = context;
  if (status !== 'active' && status !== 'stuck') return steps.length + STEPS_AROUND;
  if (value === 'ordered') return 0;
  return 1 + (value === 'composing' ? steps.length : ends.length);
}

function lineOf({ context: { steps, ends }, status, value }: ReportView): string {
  if (status !== 'active' || typeof value === 'string') return String(value);
  const { length } = steps;
  return `step ${Math.min(ends.length + 1, length)}/${length}: ${steps[ends.length]?.title ?? ''}`;
}
