import { createHash } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { Jobs } from '../../domain/job/job.ts';
import { RESULTS_PATH } from '../../domain/tool/result-text.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { wantsPage } from '../passport/passport-page.ts';
import { createRatedRoutes, readParams } from '../passport/read-request.ts';
import { jsonReply } from '../proof/replies.ts';

/** Read limit per network. A page of a running job reads every two seconds. */
export const RESULT_RATES = { burst: 60, perMinute: 120 } as const;
const FORMATS = ['json', 'html'] as const;
const JOB_ID = /^job_[\w-]{20,100}$/;

/** The dependencies of the result routes. */
export interface ResultService {
  readonly jobs: Pick<Jobs, 'state'>;
  /** The page, whole in one file; without it, results are only JSON. */
  readonly page: string | undefined;
  readonly clock: Clock;
}

/**
 * Creates `GET /v1/results/<job id>`, the current result of a paid job as a page to share or as
 * JSON. As with `get_result`, the job id grants access, and there is no list.
 */
export function resultRoutes({ jobs, page, clock }: ResultService): readonly FrontRoute[] {
  const read = createRatedRoutes(RESULT_RATES, clock);
  const toPage = page === undefined ? jsonReplyOf : createPageReply(page);
  return [
    read({ methods: ['GET'], path: `${RESULTS_PATH}/`, isPrefix: true }, async (request) => {
      const { format } = readParams(request.query, ['format']);
      const state = await jobs.state(readJobId(request.path));
      if (state === undefined) throw new AppError('JOB_UNKNOWN');
      return wantsHtml(format, request) ? toPage(state.result) : jsonReplyOf(state.result);
    }),
  ];
}

function readJobId(path: string): string {
  const jobId = path.slice(RESULTS_PATH.length + 1);
  if (JOB_ID.test(jobId)) return jobId;
  throw new AppError('JOB_UNKNOWN');
}

function wantsHtml(format: string | undefined, request: HttpRequest): boolean {
  const found = FORMATS.find((one) => one === format);
  if (format === undefined) return wantsPage(headerOf(request, 'accept'));
  if (found !== undefined) return found === 'html';
  throw new AppError('INPUT_INVALID', {
    message: '`format` must be json or html.',
    data: { path: 'format', received: format.slice(0, 40), allowed: FORMATS },
  });
}

function jsonReplyOf(result: ToolResult): HttpReply {
  const reply = jsonReply(200, result);
  return { ...reply, headers: [...(reply.headers ?? []), 'vary', 'accept'] };
}

/** Returns a function that puts a result into the page. Style and script are allowed by hash. */
function createPageReply(page: string): (result: ToolResult) => HttpReply {
  const headers = [
    ...['content-type', 'text/html; charset=utf-8', 'content-security-policy', policyOf(page)],
    ...['referrer-policy', 'no-referrer', 'cache-control', 'no-store', 'vary', 'accept'],
  ];
  const scriptAt = page.lastIndexOf('<script>');
  const [before, after] = [page.slice(0, scriptAt), page.slice(scriptAt)];
  return (result) => {
    const json = JSON.stringify(result).replaceAll('<', '\\u003c');
    const data = `<script id="result-data" type="application/json">${json}</script>`;
    return { status: 200, headers, body: `${before}${data}${after}` };
  };
}

function policyOf(page: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(page, 'script')}'`,
    `style-src '${hashOf(page, 'style')}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function hashOf(page: string, element: 'script' | 'style'): string {
  const from = page.indexOf(`<${element}>`) + element.length + 2;
  const text = page.slice(from, page.lastIndexOf(`</${element}>`));
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
