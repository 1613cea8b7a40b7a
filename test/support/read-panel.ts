import { createPanelState, type PanelReadDeps } from '../../src/actors/panel/panel-state.ts';
import { readPanelJob } from '../../src/actors/panel/panel-view.ts';
import type { PanelState } from '../../src/domain/panel/result.ts';

/** Returns the public state of the panel of a job. */
export async function readPanel(deps: PanelReadDeps, jobId: string): Promise<PanelState> {
  return createPanelState(await readPanelJob(deps.engine, jobId, deps.panels), deps.blobs);
}
