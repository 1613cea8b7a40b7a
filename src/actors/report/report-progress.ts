import type { Progress } from '../../domain/tool/tool.ts';
import type { ReportView } from './report-view.ts';

/** Extra steps: planning before the planned steps, composing after them. */
const STEPS_AROUND = 2;

/** Returns the progress of a report, with a message such as `step 2/5: Filings`. */
export function reportStep(view: ReportView): Progress {
  const total = view.context.steps.length + STEPS_AROUND;
  return { progress: progressOf(view), total, message: lineOf(view) };
}

/** Returns the number of completed steps, including planning and composing. */
function progressOf({ context, status, value }: ReportView): number {
  const { steps, ends } = context;
  if (status !== 'active' && status !== 'stuck') return steps.length + STEPS_AROUND;
  if (value === 'ordered') return 0;
  return 1 + (value === 'composing' ? steps.length : ends.length);
}

function lineOf({ context: { steps, ends }, status, value }: ReportView): string {
  if (status !== 'active' || typeof value === 'string') return String(value);
  const { length } = steps;
  return `step ${Math.min(ends.length + 1, length)}/${length}: ${steps[ends.length]?.title ?? ''}`;
}
