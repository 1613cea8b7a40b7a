import { toMoney } from '../../domain/common/money.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import { AnyReportState, REPORTS_PATH, type StepLine } from '../../domain/report/state.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { loadStoredJson } from '../common/load-stored-json.ts';
import type { Services } from '../common/services.ts';
import type { ReportView } from './report-view.ts';

/** Polling interval suggested to clients, in milliseconds. */
const POLL_AFTER_MS = 2 * SECOND_MS;

/** Returns the public state of a report. */
export function createReportState(view: ReportView, blobs: Services['blobs']): AnyReportState {
  const { context } = view;
  const { input, steps, ends, outcome, reason } = context;
  const status = statusOf(view);
  const isOpen = view.status === 'active' || view.status === 'stuck';
  const report = composedResult(view, blobs)?.structuredContent;
  return AnyReportState.parse({
    job_id: view.id,
    tool: input.tool,
    kind: input.reportKind,
    status,
    steps: createStepLines(view),
    steps_done: ends.length,
    steps_planned: steps.length,
    price: toMoney(input.priceMicroUsd),
    refund: isOpen || status === 'published' ? null : toMoney(input.priceMicroUsd),
    page_path: `${REPORTS_PATH}/${view.id}`,
    outcome,
    reason: status === 'failed' && reason === null ? 'The operator stopped the report.' : reason,
    ...(isOpen ? { poll_after_ms: POLL_AFTER_MS } : {}),
    ...(report === undefined ? {} : { report }),
  });
}

/** Returns the composed tool result, if any, also if no step succeeded. */
export function composedResult(
  { context: { composed } }: ReportView,
  blobs: Services['blobs'],
): ToolResult | undefined {
  if (composed === null) return undefined;
  return loadStoredJson(blobs, composed.resultSha) as ToolResult;
}

function statusOf({ status, value }: ReportView): AnyReportState['status'] {
  if (status === 'stuck') return 'stuck';
  if (status === 'active') {
    if (value === 'ordered' || value === 'composing') return value;
    return 'working';
  }
  return value === 'published' || value === 'aborted' ? value : 'failed';
}

function createStepLines({
  context: { steps, ends },
  status,
  value,
}: ReportView): readonly StepLine[] {
  const isRunning = status === 'active' && typeof value === 'object';
  const isOver = status !== 'active' && status !== 'stuck';
  return steps.map(({ stepId: id, title }, index) => {
    const end = ends[index];
    if (end === undefined) {
      const pendingStatus = isRunning && index === ends.length ? 'running' : 'waiting';
      return { id, title, status: isOver ? 'skipped' : pendingStatus, fault: null, ended_at: null };
    }
    const endStatus = end.sha === null ? 'failed' : 'done';
    return { id, title, status: endStatus, fault: end.fault, ended_at: toIsoTime(end.at) };
  });
}
