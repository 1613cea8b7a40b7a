import { AppError } from '../../domain/error.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { type Panel, PLAIN_PANELS } from '../../machines/parts/panels.ts';
import { define } from '../../runtime/define.ts';
import type { Definition } from '../../runtime/types.ts';
import { fromEngine, isEngineCode } from '../engine-error.ts';
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
  const { status } = await viewPanel(engine, jobId, panels);
  if (status !== 'active') return;
  try {
    await engine.tell(jobId, event, { idempotencyKey: event.type });
  } catch (thrown) {
    // It may have ended between the look and the telling.
    if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw fromEngine(thrown);
  }
}

/** How long a paid job may take to come into being, and how often it is looked for. */
const CREATION_MS = { most: 10 * SECOND_MS, step: 20 } as const;

/**
 * Waits until the panel exists: its payment creates it in the commit that settles, and the outbox
 * delivers that a moment later.
 *
 * @throws {AppError} `JOB_UNKNOWN` when it has not come into being within ten seconds.
 */
export async function awaitPanel(
  { engine, panels, clock }: TellDeps & { readonly clock: Clock },
  jobId: string,
): Promise<void> {
  const latest = clock.now() + CREATION_MS.most;
  for (;;) {
    try {
      await viewPanel(engine, jobId, panels);
      return;
    } catch (thrown) {
      const isMissing = thrown instanceof AppError && thrown.code === 'JOB_UNKNOWN';
      if (!isMissing || clock.now() >= latest) throw thrown;
    }
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + CREATION_MS.step, resolve);
    });
  }
}
