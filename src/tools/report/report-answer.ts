import type { Services } from '../../actors/common/services.ts';
import { composedResult, createReportState } from '../../actors/report/report-state.ts';
import type { ReportView } from '../../actors/report/report-view.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { toReadableLine } from '../../domain/common/readable.ts';
import type { AnyReportState } from '../../domain/report/state.ts';
import { composeResult } from '../../domain/tool/result-text.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** Formats a report for its buyer: the answer if there is one, else the current state. */
export function formatReport(
  view: ReportView,
  blobs: Services['blobs'],
  origin?: string,
): ToolResult {
  const state = createReportState(view, blobs);
  const isError = state.status === 'failed';
  // The text of a composed answer was put together with it.
  const [composed] = composedResult(view, blobs)?.content ?? [];
  const text = composed?.type === 'text' ? composed.text : describeState(state, origin);
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(JSON.stringify(state)) as JsonObject,
    ...(isError ? { isError } : {}),
  };
}

function describeState(state: AnyReportState, origin: string | undefined): string {
  const { job_id: jobId, page_path: see, poll_after_ms: pollAfterMs, price } = state;
  const steps = `${state.steps_done} of ${state.steps_planned} steps`;
  const decidedBy = 'rules of this server over the sources that answer';
  if (pollAfterMs === undefined) {
    return composeResult({
      answer: 'No report.',
      why: toReadableLine(state.reason ?? 'it ended before there was an answer.'),
      decidedBy,
      cost: `nothing; you are refunded in full ($${price.amount})`,
      see,
      origin,
      details: [`Job: ${jobId}`],
    });
  }
  const running = state.steps.find(({ status }) => status === 'running');
  return composeResult({
    answer: `Working: ${steps}. No report yet.`,
    why: running === undefined ? 'the next step has not begun.' : `running: ${running.title}`,
    decidedBy,
    cost: `$${price.amount}`,
    see,
    origin,
    details: [`Call get_result with job_id ${jobId} again, or cancel with cancel: true.`],
  });
}
