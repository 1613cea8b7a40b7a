import type { PanelLine } from '../../../domain/inspect/wire.ts';
import { typeView } from '../../../runtime/engine/typed-actors.ts';
import type { View } from '../../../runtime/engine/types.ts';
import { reportKind } from '../../report/report-view.ts';

/** Returns the console list line of a report, without its request and results. */
export function createReportLine(view: View): PanelLine {
  const { input, steps, ends, outcome } = typeView(reportKind, view).context;
  const failed = ends.filter(({ sha }) => sha === null).length;
  const faults = failed === 0 ? '' : `, ${failed} failed`;
  const ended = outcome === null ? '' : `${outcome.replaceAll('_', ' ')}, `;
  return {
    id: view.id,
    title: input.tool,
    question: input.reportKind.replaceAll('_', ' '),
    decision: `${ended}${ends.length} of ${steps.length} steps${faults}`,
  };
}
