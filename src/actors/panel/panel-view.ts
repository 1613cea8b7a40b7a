import { invariant } from '../../domain/common/error.ts';
import type { PanelDefinition } from '../../domain/panel/definition.ts';
import { PANELS } from '../../domain/panel/panels.ts';
import type { PanelContext } from '../../machines/panel/panel-context.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { type PaidJob, readPaidJob } from '../job/paid-job.ts';

/** A panel's view with its typed context and its definition. */
export interface PanelJob extends PaidJob<PanelContext> {
  readonly panel: PanelDefinition;
}

/**
 * Returns the committed state of a panel.
 *
 * @param panels - Known panels. Default: all.
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function readPanelJob(
  engine: ActorEngine,
  jobId: string,
  panels: readonly PanelDefinition[] = PANELS,
): Promise<PanelJob> {
  const kinds = panels.map(({ kind }) => kind);
  const job = await readPaidJob<PanelContext>(engine, jobId, kinds);
  const panel = panels.find(({ kind }) => kind === job.kind);
  invariant(panel !== undefined, 'the job has a requested kind');
  return { ...job, panel };
}
