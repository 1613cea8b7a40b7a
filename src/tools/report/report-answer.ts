import type { Services } from '../../actors/common/services.ts';
import { composedResult, createReportState } from '../../actors/report/report-state.ts';
import type { ReportView } from '../../actors/report/report-view.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { toReadableLine } from '../../domain/common/readable.ts';
import type { AnyReportState } from '../../domain/report/state.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** Formats a report for its buyer: the answer if there is one, else the current state. */
export function formatReport(view: ReportView, blobs: Services['blobs']): ToolResult {
  const state = createReportState(view, blobs);
  const isError = state.status === 'failed';
  return {
    content: [{ type: 'text', text: reportLines(state, composedResult(view, blobs)).join('\n') }],
    structuredContent: JSON.parse(JSON.stringify(state)) as JsonObject,
    ...(isError ? { isError } : {}),
  };
}

function reportLines(state: AnyReportState, composed: ToolResult | undefined): readonly string[] {
  const [first] = composed?.content ?? [];
  if (first?.type === 'text') {
    return [first.text, ...(state.status === 'published' ? [`As a page: ${state.page_path}`] : [])];
  }
  if (state.poll_after_ms !== undefined) {
    const running = state.steps.find(({ status }) => status === 'running');
    const what = running === undefined ? '' : `, ${running.title}`;
    return [
      `Working: ${state.steps_done} of ${state.steps_planned} steps${what}.`,
      `Call get_result with job_id ${state.job_id} again, or cancel with cancel: true.`,
    ];
  }
  return [
    `No report: ${toReadableLine(state.reason ?? 'it ended before there was an answer.')}`,
    'You are refunded in full.',
    `Job: ${state.job_id}`,
  ];
}
