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
 * Makes a kind of actors of panels: the machine and what its effects do.
 *
 * @param panels - Default: all that have no states of their own before their phases.
 */
export function definePanels(
  deps: PanelDeps,
  panels: readonly Panel[] = PLAIN_PANELS,
): readonly Definition[] {
  return panels.map((panel) => definePanel(panel, deps));
}

/**
 * Makes the kind of one panel.
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
 * Ends a panel; what it has cost so far stands and the rest of the price goes back. Safe to
 * repeat, and without effect on a panel that has ended or is being sealed.
 *
 * @throws {AppError} `JOB_UNKNOWN`, `INPUT_INVALID` of a panel that is bound to come to its end
 */
export async function cancelPanel(deps: TellDeps, jobId: string): Promise<void> {
  const { context, status } = await viewPanel(deps.engine, jobId, deps.panels);
  if (context.isBound === true && status === 'active') {
    throw new AppError('INPUT_INVALID', {
      message: 'What is judged is frozen and its verdict moves money: it goes on to its end.',
      data: { path: 'cancel', received: true, allowed: [false] },
    });
  }
  await tellPanel(deps, jobId, { type: 'CANCEL' });
}

/**
 * Notes that nobody waits on the line any more. The panel goes on.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function detachPanel(deps: TellDeps, jobId: string): Promise<void> {
  await tellPanel(deps, jobId, { type: 'CLIENT.GONE' });
}

/** What telling needs. */
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
 * @throws {AppError} `JOB_UNKNOWN` when it has not come into being within ten seconds.
 */
export async function awaitPanel(
  { engine, panels, clock }: TellDeps & { readonly clock: Clock },
  jobId: string,
): Promise<void> {
  await awaitPaidJob(() => viewPanel(engine, jobId, panels).catch(undefinedWhereUnknown), clock);
}
