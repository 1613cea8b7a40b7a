import { invariant } from '../../domain/common/error.ts';
import type { PanelDefinition } from '../../domain/panel/definition.ts';
import { PANELS } from '../../domain/panel/panels.ts';
import type { PanelMachine } from '../../machines/panel/panel-machine.ts';
import type { ActorEngine, View, ViewOf } from '../../runtime/engine/types.ts';
import { readPaidJob } from '../job/paid-job.ts';

/** The committed state of a panel. */
type PanelActorView = ViewOf<PanelMachine>;

/** A panel's view with its typed context and its definition. */
export interface PanelJob extends PanelActorView {
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
  const job = await readPaidJob(engine, jobId, (view): view is PanelActorView =>
    panels.some((panel) => isOfPanel(panel, view)),
  );
  const panel = panels.find(({ kind }) => kind === job.kind);
  invariant(panel !== undefined, 'the job has a requested kind');
  return { ...job, panel };
}

/** Returns the view of an actor of this panel, with the types of its machine. */
export function typePanelView(panel: PanelDefinition, view: View): PanelActorView {
  invariant(isOfPanel(panel, view), 'the view is of this panel');
  return view;
}

/** The machine of a panel is made of its definition, so all panels have the same types. */
function isOfPanel({ kind }: PanelDefinition, view: View): view is PanelActorView {
  return view.kind === kind;
}
