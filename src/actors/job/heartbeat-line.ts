import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Progress } from '../../domain/tool/tool.ts';

/** Longest silence in milliseconds. Clients may abort a call that reports nothing. */
export const HEARTBEAT_MS = 15 * SECOND_MS;

/** Dependencies of the progress reporter. */
export interface LineParts {
  readonly clock: Clock;
  readonly onProgress?: ((step: Progress) => void) | undefined;
}

/**
 * Reports the progress of a job to a waiting caller. Progress only increases, and a heartbeat
 * breaks long silences.
 */
export class HeartbeatLine {
  readonly #parts: LineParts;
  #told = -1;
  #last: Progress = { progress: 0, message: '' };
  #stopHeartbeat: () => void = () => undefined;
  #isClosed = false;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  /** Reports a step if it is further than the last one. */
  tell(step: Progress): void {
    if (this.#isClosed) return;
    this.#last = step;
    this.#say(step);
  }

  /** Reports a message of the job between two steps. */
  show(text: string): void {
    if (this.#isClosed || this.#told < 0) return;
    this.#sayBetween(`${this.#last.message} · ${text}`);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopHeartbeat();
  }

  /**
   * Adds half of the distance to the next step, so that progress increases but never reaches it.
   */
  #sayBetween(message: string): void {
    const next = Math.floor(this.#told) + 1;
    this.#say({ ...this.#last, progress: this.#told + (next - this.#told) / 2, message });
  }

  #say(step: Progress): void {
    const { clock, onProgress } = this.#parts;
    if (step.progress > this.#told) {
      this.#told = step.progress;
      onProgress?.(step);
    }
    this.#stopHeartbeat();
    this.#stopHeartbeat = clock.at(clock.now() + HEARTBEAT_MS, () =>
      this.#sayBetween(`still working: ${this.#last.message}`),
    );
  }
}
