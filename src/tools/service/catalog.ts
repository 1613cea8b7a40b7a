import type { PanelReadDeps } from '../../actors/panel/panel-state.ts';
import type { Jobs } from '../../domain/job/job.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { ALERT_RESOURCE, readAlertResource } from '../alert/alert-resource.ts';
import { auditJobs } from '../audit/audit-jobs.ts';
import { type BoardReader, boardResources } from '../escrow/board-resources.ts';
import { combineJobs } from '../job/jobs.ts';
import { type PanelJobDeps, panelJobs } from '../panel/panel-jobs.ts';
import { PANEL_RESOURCE, readPanelResource } from '../panel/panel-resource.ts';
import { reportJobs } from '../report/report-jobs.ts';
import { COMMERCE_TOOLS, type CommerceServices } from './commerce-tools.ts';
import { defineTool } from './define-tool.ts';
import type { ResourceReader } from './resource-reader.ts';
import { resultViewResource } from './result-view.ts';

/** Returns the available commerce tools in the order of their list. */
export function commerceTools(deps: CommerceServices): readonly Tool[] {
  return Object.values(COMMERCE_TOOLS).flatMap(({ make }) => {
    const tool = make(deps);
    return tool === undefined ? [] : [defineTool(tool)];
  });
}

/** Returns the commerce resources: panels and alerts by their capability, and the work board. */
export function commerceResources(
  deps: PanelReadDeps &
    Pick<CommerceServices, 'alerting'> & {
      readonly board?: BoardReader;
      /** The page of a result, see `ui://stoa/result`. */
      readonly resultPage?: string | undefined;
    },
): readonly ResourceReader[] {
  const { alerting, board, resultPage } = deps;
  const alertResources: readonly ResourceReader[] =
    alerting === undefined
      ? []
      : [
          {
            template: ALERT_RESOURCE,
            read: (uri) => readAlertResource(alerting.alerts, uri),
          },
        ];
  return [
    { template: PANEL_RESOURCE, read: (uri) => readPanelResource(deps, uri) },
    ...alertResources,
    ...(board === undefined ? [] : boardResources(board)),
    ...(resultPage === undefined ? [] : [resultViewResource(resultPage)]),
  ];
}

/** Returns the jobs of all kinds that commerce tools order. */
export function commerceJobs(deps: PanelJobDeps): Jobs {
  return combineJobs([panelJobs(deps), auditJobs(deps), reportJobs(deps)]);
}
