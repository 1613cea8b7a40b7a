import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { type Panel, PLAIN_PANELS } from '../../machines/panel/panels.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import { awaitPaidJob, tellPaidJob, undefinedWhereUnknown } from '../job/paid-job.ts';
import { computeEffect, type PanelDeps, sealEffect, turnEffect } from './panel-effects.ts';
import type { ReadDeps } from './panel-state.ts';
import { viewPanel } from './panel-view.ts';

/**
 * Creates the actor definitions of panels.
 *
 * @param panels - Default: all panels without states before their phases.
 */
export function definePanels(
  deps: PanelDeps,
  panels: readonly Panel[] = PLAIN_PANELS,
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
  deps: PanelDeps,
  more: Definition['effects'] = {},
): Definition {
  const computes = definition.phases.some(({ by }) => by === 'code');
  const effects = {
    turn: turnEffect(definition, deps),
    seal: sealEffect(definition, deps),
    ...(computes ? { compute: computeEffect(definition, deps) } : {}),
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
export async function cancelPanel(deps: TellDeps, jobId: string): Promise<void> {
  const { context, status } = await viewPanel(deps.engine, jobId, deps.panels);
  if (context.isBound === true && status === 'active') {
    throw new AppError('INPUT_INVALID', {
      message: 'The case is frozen and its verdict moves money, so it can no longer be cancelled.',
      data: { path: 'cancel', received: true, allowed: [false] },
    });
  }
  await tellPanel(deps, jobId, { type: 'CANCEL' });
}

/**
 * Records that the client has disconnected. The panel continues.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function detachPanel(deps: TellDeps, jobId: string): Promise<void> {
  await tellPanel(deps, jobId, { type: 'CLIENT.GONE' });
}

/** Dependencies for sending events to panels. */
type TellDeps = Omit<ReadDeps, 'blobs'>;

async function tellPanel(
  { engine, panels }: TellDeps,
  jobId: string,
  event: { readonly type: 'CANCEL' | 'CLIENT.GONE' },
): Promise<void> {
  await tellPaidJob(engine, await viewPanel(engine, jobId, panels), event);
}

/**
 * Waits until the panel exists.
 *
 * @throws {AppError} `JOB_UNKNOWN` after 10 seconds.
 */
export async function awaitPanel(
  { engine, panels, clock }: TellDeps & { readonly clock: Clock },
  jobId: string,
): Promise<void> {
  await awaitPaidJob(() => viewPanel(engine, jobId, panels).catch(undefinedWhereUnknown), clock);
}
