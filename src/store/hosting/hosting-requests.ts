import type {
  HostingLogs,
  HostingMetrics,
} from '../../domain/hosting/telemetry/hosting-telemetry.ts';
import { parseRequestRow, requestLine } from '../../domain/hosting/telemetry/request-row.ts';

/** A line of the router's spool, and where it ends in it. */
export interface SpoolLine {
  readonly end: number;
  readonly text: string;
}

/** Brings the answered requests of the router's spools to logs and metrics. */
export interface RequestRecorder {
  /** Where to read on in a spool: both have what is before. What is before may be removed. */
  taken(source: string): number;
  /**
   * Takes lines in; each of the two passes over what it has.
   *
   * @returns How many were no rows of requests; they are passed over.
   * @throws {AppError} as `LogIntake.append`
   */
  append(source: string, lines: readonly SpoolLine[]): Promise<{ readonly unreadable: number }>;
}

/** Makes a recorder over the logs and the metrics of one host. */
export function requestRecorder(
  logs: Pick<HostingLogs, 'taken' | 'append'>,
  metrics: Pick<HostingMetrics, 'taken' | 'requests'>,
): RequestRecorder {
  return {
    taken: (source) => Math.min(logs.taken(source), metrics.taken(source)),
    async append(source, lines) {
      const rows = lines.flatMap(({ end, text }) => {
        const row = parseRequestRow(text);
        return row === undefined ? [] : [{ end, row }];
      });
      // Refused lines of the log are handed over again; what was counted is not counted again.
      await logs.append(
        source,
        rows.map(({ end, row }) => requestLine(row, end)),
      );
      metrics.requests(source, rows);
      return { unreadable: lines.length - rows.length };
    },
  };
}
