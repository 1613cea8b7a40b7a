import { defineReport } from '../../actors/report/report.ts';
import type { ReportKind } from '../../actors/report/report-kind.ts';
import { ReportSlots } from '../../actors/report/report-slots.ts';
import { createReportState } from '../../actors/report/report-state.ts';
import { readReport } from '../../actors/report/report-view.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import { createDataResult } from '../../tools/data/data-answer.ts';
import type { ReportToolDeps } from '../../tools/report/report-tool.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { reportRoutes } from '../../transport/report/report-routes.ts';

/** The dependencies of reports. */
export interface ReportDeps {
  readonly kinds: readonly ReportKind[];
  readonly blobs: BlobStore;
  readonly trust: Pick<TrustChain, 'signStatement'>;
  /** The clock of the actors. */
  readonly clock: Clock;
}

/** The running report service. */
export interface OpenReports {
  readonly routes: readonly FrontRoute[];
  /** The dependencies of the report tools. */
  readonly reporting: ReportToolDeps;
  stop(): void;
}

/** Creates the actor definition of all kinds of reports that the server sells. */
export function defineReports({ kinds, blobs, trust, clock }: ReportDeps): Definition {
  return defineReport({
    kinds,
    blobs,
    clock,
    createResult: (answer, paymentId) => createDataResult({ clock, trust }, { paymentId }, answer),
  });
}

/** Opens reports on an engine that has their definition. */
export async function openReports(
  engine: ActorEngine,
  { blobs, clock }: Pick<ReportDeps, 'blobs' | 'clock'>,
): Promise<OpenReports> {
  const slots = await ReportSlots.start(engine);
  const reports = {
    read: async (jobId: string) => createReportState(await readReport(engine, jobId), blobs),
  };
  return {
    routes: reportRoutes({ reports, clock }),
    reporting: { engine, blobs, clock, slots },
    stop: () => slots.close(),
  };
}
