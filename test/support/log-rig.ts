import type { LogQuery } from '../../src/domain/hosting/hosting.ts';
import type { LogLine, LogPage } from '../../src/domain/hosting/records.ts';
import type { HostingLogs } from '../../src/domain/hosting/telemetry/hosting-telemetry.ts';
import type { NewLogLine } from '../../src/domain/hosting/telemetry/log-ingest.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { type LogOptions, openHostingLogs } from '../../src/store/hosting/hosting-logs.ts';
import { tempDir } from './temp-dir.ts';

/** A morning in November, in milliseconds. */
export const MORNING = Date.parse('2026-11-22T08:00:00Z');
/** Longer than lines are gathered, in milliseconds. */
const GATHERED_MS = 60;

/** Logs in a folder of their own, on a clock that the test moves. */
export class LogRig {
  readonly clock = new SimulatedClock(MORNING);
  readonly dir = tempDir();
  readonly #options: Partial<LogOptions>;
  readonly #ends = new Map<string, number>();
  logs: HostingLogs;

  constructor(options: Partial<LogOptions> = {}) {
    this.#options = options;
    this.logs = this.#open();
  }

  /** Hands lines over, numbered on within their source, and waits until the disk has them. */
  async put(lines: readonly Partial<NewLogLine>[], source = 'spool'): Promise<void> {
    await this.hand(
      lines.map((line) => this.numbered(line, source)),
      source,
    );
  }

  /** Hands lines over with the numbers that they have. */
  async hand(lines: readonly NewLogLine[], source = 'spool'): Promise<void> {
    const appended = this.logs.append(source, lines);
    const settled = appended.catch(() => undefined);
    await this.clock.advance(GATHERED_MS);
    await settled;
    await appended;
  }

  numbered(line: Partial<NewLogLine>, source = 'spool'): NewLogLine {
    const end = (this.#ends.get(source) ?? 0) + 1;
    this.#ends.set(source, end);
    return { resource: 'srv-a', type: 'app', message: `line ${end}`, ...line, end };
  }

  /** Everything between two times, page by page; every page is checked against its limit. */
  async pages(query: Partial<LogQuery> = {}): Promise<readonly LogPage[]> {
    let next: LogQuery = { ...this.whole(), ...query };
    const pages: LogPage[] = [];
    for (;;) {
      const page = await this.logs.query(next);
      if (page.logs.length > next.limit)
        throw new Error(`${page.logs.length} lines of ${next.limit}`);
      pages.push(page);
      if (!page.hasMore) return pages;
      next = { ...next, startTime: page.nextStartTime, endTime: page.nextEndTime };
    }
  }

  async lines(query: Partial<LogQuery> = {}): Promise<readonly LogLine[]> {
    return (await this.pages(query)).flatMap(({ logs }) => logs);
  }

  async messages(query: Partial<LogQuery> = {}): Promise<readonly string[]> {
    return (await this.lines(query)).map(({ message }) => message);
  }

  /** A query of everything of one resource, oldest first. */
  whole(): LogQuery {
    return {
      resource: ['srv-a'],
      startTime: '2026-01-01T00:00:00Z',
      endTime: '2027-12-31T00:00:00Z',
      direction: 'forward',
      limit: 100,
    };
  }

  async reopen(): Promise<void> {
    await this.logs.close();
    this.logs = this.#open();
  }

  async close(): Promise<void> {
    await this.logs.close();
    this.dir.remove();
  }

  #open(): HostingLogs {
    return openHostingLogs({ path: this.dir.path, clock: this.clock, ...this.#options });
  }
}
