import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { ReportReader } from '../../domain/report/bought-reports.ts';
import { toReportSource } from '../../domain/report/page/parse-report.ts';
import { renderReportPage } from '../../domain/report/page/report-page.ts';
import { REPORTS_PATH } from '../../domain/report/state.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { wantsPage } from '../passport/passport-page.ts';
import { createRatedRoutes, readParams } from '../passport/read-request.ts';
import { jsonReply } from '../proof/replies.ts';
import { htmlReply } from '../routes/html.ts';

/** Read limit per network. */
export const REPORT_RATES = { burst: 60, perMinute: 120 } as const;
const FORMATS = ['json', 'html'] as const;
const JOB_ID = /^job_[\w-]{20,100}$/;

/** The dependencies of the report routes. */
export interface ReportService {
  readonly reports: ReportReader;
  readonly clock: Clock;
}

/**
 * Creates `GET /v1/reports/<job id>`, a report as a page or as JSON. As with `get_result`, the job
 * id grants access, and there is no list. `?download=1` returns the page as a file.
 */
export function reportRoutes({ reports, clock }: ReportService): readonly FrontRoute[] {
  const read = createRatedRoutes(REPORT_RATES, clock);
  return [
    read({ methods: ['GET'], path: `${REPORTS_PATH}/`, isPrefix: true }, (request) =>
      showReport(reports, request),
    ),
  ];
}

async function showReport(reports: ReportReader, request: HttpRequest): Promise<HttpReply> {
  const { format, download } = readParams(request.query, ['format', 'download']);
  const state = await reports.read(readJobId(request.path));
  const isPage = readFormat(format) ?? (wantsPage(headerOf(request, 'accept')) ? 'html' : 'json');
  if (isPage === 'json') {
    const reply = jsonReply(200, state);
    return { ...reply, headers: [...(reply.headers ?? []), 'vary', 'accept'] };
  }
  const reply = htmlReply(renderReportPage(toReportSource(state)));
  if (download === undefined) return reply;
  const name = `attachment; filename="${state.tool.replace(/[^\w-]/g, '_')}.html"`;
  return { ...reply, headers: [...(reply.headers ?? []), 'content-disposition', name] };
}

function readJobId(path: string): string {
  const jobId = path.slice(REPORTS_PATH.length + 1);
  if (JOB_ID.test(jobId)) return jobId;
  throw new AppError('JOB_UNKNOWN');
}

function readFormat(format: string | undefined): (typeof FORMATS)[number] | undefined {
  const found = FORMATS.find((one) => one === format);
  if (format === undefined || found !== undefined) return found;
  throw new AppError('INPUT_INVALID', {
    message: '`format` must be json or html.',
    data: { path: 'format', received: format.slice(0, 40), allowed: FORMATS },
  });
}
