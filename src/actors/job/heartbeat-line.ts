import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Progress } from '../../domain/tool/tool.ts';

/** Longest silence on the line: a client may give up a call that says nothing. */
export const HEARTBEAT_MS = 15 * SECOND_MS;

/** What a line is told on. */
export interface LineParts {
  readonly clock: Clock;
  readonly onProgress?: ((step: Progress) => void) | undefined;
}

/**
 * Tells the progress of a job to who waits for it. The number only grows, and a long silence is
 * broken. `close` ends it.
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

  /** Tells where the job stands, unless that is no news. */
  tell(step: Progress): void {
    if (this.#isClosed) return;
    this.#last = step;
    this.#say(step);
  }

  /** Tells what the job says of itself between two steps. */
  show(text: string): void {
    if (this.#isClosed || this.#told < 0) return;
    this.#sayBetween(`${this.#last.message} · ${text}`);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopHeartbeat();
  }

  /** Half of what is missing to the next step: it grows for ever and never reaches it. */
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
