import type {
  HostingLogs,
  HostingMetrics,
} from '../../domain/hosting/telemetry/hosting-telemetry.ts';
import { parseRequestRow, toLogLine } from '../../domain/hosting/telemetry/request-row.ts';

/** A line of the router's spool, and its end position. */
export interface SpoolLine {
  readonly end: number;
  readonly text: string;
}

/** Forwards the answered requests in the router's spools to logs and metrics. */
export interface RequestRecorder {
  /**
   * Returns the position up to which both logs and metrics have a spool. Earlier lines may be
   * removed.
   */
  taken(source: string): number;
  /**
   * Records lines; logs and metrics each skip those that they already have.
   *
   * @returns The number of unreadable lines, which are skipped.
   * @throws {AppError} The errors of `LogIngest.append`.
   */
  append(source: string, lines: readonly SpoolLine[]): Promise<{ readonly unreadable: number }>;
}

/** Creates a recorder over the logs and the metrics of one host. */
export function createRequestRecorder(
  logs: Pick<HostingLogs, 'storedUntil' | 'append'>,
  metrics: Pick<HostingMetrics, 'countedUntil' | 'countRequests'>,
): RequestRecorder {
  return {
    taken: (source) => Math.min(logs.storedUntil(source), metrics.countedUntil(source)),
    async append(source, lines) {
      const rows = lines.flatMap(({ end, text }) => {
        const row = parseRequestRow(text);
        return row === undefined ? [] : [{ end, row }];
      });
      // Lines rejected by the log are sent again; counted requests are not counted twice.
      await logs.append(
        source,
        rows.map(({ end, row }) => toLogLine(row, end)),
      );
      metrics.countRequests(source, rows);
      return { unreadable: lines.length - rows.length };
    },
  };
}
