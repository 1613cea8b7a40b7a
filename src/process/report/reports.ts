import type { Services } from '../../actors/common/services.ts';
import { defineReport } from '../../actors/report/report.ts';
import type { ReportKind } from '../../actors/report/report-kind.ts';
import { ReportSlots } from '../../actors/report/report-slots.ts';
import { createReportState } from '../../actors/report/report-state.ts';
import { readReport } from '../../actors/report/report-view.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import { createDataResult } from '../../tools/data/data-answer.ts';
import type { ReportToolDeps } from '../../tools/report/report-tool.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { reportRoutes } from '../../transport/report/report-routes.ts';
import type { ServerServices } from '../server/services.ts';

/** The running report service. */
export interface OpenReports {
  readonly routes: readonly FrontRoute[];
  /** The dependencies of the report tools. */
  readonly reporting: ReportToolDeps;
}

/** Creates the actor definition of all kinds of reports that the server sells. */
export function defineReports(
  services: Pick<Services, 'blobs' | 'clock' | 'origins' | 'trust'>,
  kinds: readonly ReportKind[],
): Definition {
  return defineReport({
    ...services,
    kinds,
    createResult: (answer, call) =>
      createDataResult(services, { ...call, origin: services.origins()[0] }, answer),
  });
}

/** Opens reports on an engine that has their definition. */
export async function openReports(
  services: Pick<Services, 'blobs' | 'clock' | 'engine'> & Pick<ServerServices, 'closers'>,
): Promise<OpenReports> {
  const { blobs, clock, closers, engine } = services;
  const slots = await ReportSlots.start(engine);
  closers.add(async () => slots.close());
  const reports = {
    read: async (jobId: string) => createReportState(await readReport(engine, jobId), blobs),
  };
  return { routes: reportRoutes({ reports, clock }), reporting: { ...services, slots } };
}
