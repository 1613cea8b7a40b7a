import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Progress } from '../../domain/tool/tool.ts';

/** Longest silence in milliseconds. Clients may abort a call that reports nothing. */
export const HEARTBEAT_MS = 15 * SECOND_MS;

/** Dependencies of the progress reporter. */
export interface ProgressReporterDeps {
  readonly clock: Clock;
  readonly onProgress?: ((step: Progress) => void) | undefined;
}

/**
 * Reports the progress of a job to a waiting caller. Progress only increases, and a heartbeat
 * breaks long silences.
 */
export class ProgressReporter {
  readonly #parts: ProgressReporterDeps;
  #lastProgress = -1;
  #lastStep: Progress = { progress: 0, message: '' };
  #stopHeartbeat: () => void = () => undefined;
  #isClosed = false;

  constructor(parts: ProgressReporterDeps) {
    this.#parts = parts;
  }

  /** Reports a step if it is further than the last one. */
  reportStep(step: Progress): void {
    if (this.#isClosed) return;
    this.#lastStep = step;
    this.#send(step);
  }

  /** Reports a message of the job between two steps. */
  reportMessage(text: string): void {
    if (this.#isClosed || this.#lastProgress < 0) return;
    this.#sendBetween(`${this.#lastStep.message} · ${text}`);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopHeartbeat();
  }

  /**
   * Adds half of the distance to the next step, so that progress increases but never reaches it.
   */
  #sendBetween(message: string): void {
    const next = Math.floor(this.#lastProgress) + 1;
    this.#send({
      ...this.#lastStep,
      progress: this.#lastProgress + (next - this.#lastProgress) / 2,
      message,
    });
  }

  #send(step: Progress): void {
    const { clock, onProgress } = this.#parts;
    if (step.progress > this.#lastProgress) {
      this.#lastProgress = step.progress;
      onProgress?.(step);
    }
    this.#stopHeartbeat();
    this.#stopHeartbeat = clock.at(clock.now() + HEARTBEAT_MS, () =>
      this.#sendBetween(`still working: ${this.#lastStep.message}`),
    );
  }
}
