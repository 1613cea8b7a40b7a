import { AppError } from '../../domain/error.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { debateMachine, version } from '../../machines/debate.ts';
import { define } from '../../runtime/define.ts';
import type { ActorEngine, Definition } from '../../runtime/types.ts';
import { fromEngine, isEngineCode } from '../engine-error.ts';
import { type DebateDeps, sealEffect, turnEffect } from './debate-effects.ts';
import { DEBATE_KIND, viewDebate } from './debate-view.ts';

/** Makes the kind `debate`: the machine and what its effects do. */
export function defineDebate(deps: DebateDeps): Definition {
  return define({
    kind: DEBATE_KIND,
    version,
    machine: debateMachine,
    effects: { turn: turnEffect(deps), seal: sealEffect(deps) },
  });
}

/**
 * Ends a debate; what it has cost so far stands and the rest of the price goes back. Safe to
 * repeat, and without effect on a debate that has ended or is being sealed.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function cancelDebate(engine: ActorEngine, jobId: string): Promise<void> {
  await tellDebate(engine, jobId, { type: 'CANCEL' });
}

/**
 * Notes that nobody waits on the line any more. The debate goes on.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function detachDebate(engine: ActorEngine, jobId: string): Promise<void> {
  await tellDebate(engine, jobId, { type: 'CLIENT.GONE' });
}

async function tellDebate(
  engine: ActorEngine,
  jobId: string,
  event: { readonly type: 'CANCEL' | 'CLIENT.GONE' },
): Promise<void> {
  const { status } = await viewDebate(engine, jobId);
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
 * Waits until the debate exists: its payment creates it in the commit that settles, and the outbox
 * delivers that a moment later.
 *
 * @throws {AppError} `JOB_UNKNOWN` when it has not come into being within ten seconds.
 */
export async function awaitDebate(
  { engine, clock }: { readonly engine: ActorEngine; readonly clock: Clock },
  jobId: string,
): Promise<void> {
  const latest = clock.now() + CREATION_MS.most;
  for (;;) {
    try {
      await viewDebate(engine, jobId);
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
