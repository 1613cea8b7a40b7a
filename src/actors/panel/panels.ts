import { AppError } from '../../domain/common/error.ts';
import { PANELS_WITHOUT_PRELUDE, type Panel } from '../../machines/panel/panels.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { sendToPaidJob } from '../job/paid-job.ts';
import { createComputeEffect, createPanelSealEffect, createTurnEffect } from './panel-effects.ts';
import type { PanelReadDeps } from './panel-state.ts';
import { readPanelJob } from './panel-view.ts';

/**
 * Creates the actor definitions of panels.
 *
 * @param panels - Default: all panels without states before their phases.
 */
export function definePanels(
  deps: Pick<Services, 'blobs' | 'llm'>,
  panels: readonly Panel[] = PANELS_WITHOUT_PRELUDE,
): readonly Definition[] {
  return panels.map((panel) => definePanel(panel, deps));
}

/**
 * Creates the actor definition of one panel.
 *
 * @param more - Effects of states before its phases, by name.
 */
export function definePanel(
  { definition, machine }: Panel,
  deps: Pick<Services, 'blobs' | 'llm'>,
  more: Definition['effects'] = {},
): Definition {
  const computes = definition.phases.some(({ by }) => by === 'code');
  const effects = {
    turn: createTurnEffect(definition, deps),
    seal: createPanelSealEffect(definition, deps),
    ...(computes ? { compute: createComputeEffect(definition, deps) } : {}),
    ...more,
  };
  const { kind, version } = definition;
  return define({ kind, version, machine, effects: effects as never });
}

/**
 * Cancels a panel. The buyer pays the cost so far and is refunded the rest. Safe to repeat; has no
 * effect on a panel that has ended or is being sealed.
 *
 * @throws {AppError} `JOB_UNKNOWN`; `INPUT_INVALID` if the panel can no longer be cancelled
 */
export async function cancelPanel(deps: PanelSendDeps, jobId: string): Promise<void> {
  const { context, status } = await readPanelJob(deps.engine, jobId, deps.panels);
  if (context.isBound === true && status === 'active') {
    throw new AppError('INPUT_INVALID', {
      message: 'The case is frozen and its verdict moves money, so it can no longer be canceled.',
      data: { path: 'cancel', received: true, allowed: [false] },
    });
  }
  await sendToPanel(deps, jobId, { type: 'CANCEL' });
}

/**
 * Records that the client has disconnected. The panel continues.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function detachPanel(deps: PanelSendDeps, jobId: string): Promise<void> {
  await sendToPanel(deps, jobId, { type: 'CLIENT.GONE' });
}

/** Dependencies for sending events to panels. */
type PanelSendDeps = Omit<PanelReadDeps, 'blobs'>;

async function sendToPanel(
  { engine, panels }: PanelSendDeps,
  jobId: string,
  event: { readonly type: 'CANCEL' | 'CLIENT.GONE' },
): Promise<void> {
  await sendToPaidJob(engine, await readPanelJob(engine, jobId, panels), event);
}
