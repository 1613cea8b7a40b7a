import type { LogLine } from '../../domain/hosting/records.ts';

/** Maximum lines buffered for a slow reader. */
const BUFFERED_MAX = 1_000;

/** One reader of new lines. */
export class LogFollower {
  readonly resources: ReadonlySet<string>;
  #buffer: LogLine[] = [];
  #missed = 0;
  #wake: () => void = () => undefined;

  constructor(resources: readonly string[]) {
    this.resources = new Set(resources);
  }

  /** Buffers lines, and counts those that do not fit. */
  push(lines: readonly LogLine[]): void {
    const capacity = BUFFERED_MAX - this.#buffer.length;
    // A later line would hide the gap.
    const accepted = this.#missed > 0 ? 0 : Math.max(0, capacity);
    this.#buffer.push(...lines.slice(0, accepted));
    this.#missed += Math.max(0, lines.length - accepted);
    this.#wake();
  }

  /** Yields the lines until the signal aborts. */
  async *lines(signal: AbortSignal): AsyncGenerator<LogLine, void, undefined> {
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      let last: LogLine | undefined;
      while (!signal.aborted) {
        const [line] = this.#buffer.splice(0, 1);
        if (line !== undefined) {
          last = line;
          yield line;
        } else if (this.#missed > 0 && last !== undefined) {
          yield this.#createGapLine(last);
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  #createGapLine(last: LogLine): LogLine {
    const missed = this.#missed;
    this.#missed = 0;
    return {
      ...last,
      id: `${last.id}-gap`,
      message: `${missed} lines skipped: the reader is too slow`,
      labels: { resource: last.labels.resource, type: last.labels.type, level: 'warning' },
    };
  }
}
