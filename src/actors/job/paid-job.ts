import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { ActorEngine, Ev, View } from '../../runtime/engine/types.ts';
import { fromEngine, isEngineCode } from '../common/engine-error.ts';
import { findActor } from '../common/find-actor.ts';

/** How long a paid job may take to come into being, and how often it is looked for. */
const CREATION_MS = { most: 10 * SECOND_MS, step: 20 } as const;

/** The committed state of a job that a payment has created, with its context by name. */
export interface PaidJob<Context> extends Omit<View, 'context'> {
  readonly context: Context;
}

/**
 * Reads a paid job of some kinds. Other kinds of actors are as unknown as no actor: a job id is a
 * capability, other ids are none. So is a copy that somebody made to look at: what it did would be
 * done twice.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function viewPaidJob<Context extends { readonly input: { readonly jobId: string } }>(
  engine: ActorEngine,
  jobId: string,
  kinds: readonly string[],
): Promise<PaidJob<Context>> {
  const view = await findActor(engine, jobId).catch(rethrow);
  if (view === undefined || !kinds.includes(view.kind)) throw new AppError('JOB_UNKNOWN');
  const context = view.context as unknown as Context;
  if (context.input.jobId !== jobId) throw new AppError('JOB_UNKNOWN');
  return { ...view, context };
}

/** The kind of the actor that an id names; `undefined` where there is none. */
export async function kindOf(engine: ActorEngine, id: string): Promise<string | undefined> {
  return (await findActor(engine, id).catch(rethrow))?.kind;
}

/** Tells a paid job something, once; without effect when it has ended. */
export async function tellPaidJob(
  engine: ActorEngine,
  { id, status }: Pick<View, 'id' | 'status'>,
  event: Ev,
): Promise<void> {
  if (status !== 'active') return;
  try {
    await engine.tell(id, event, { idempotencyKey: event.type });
  } catch (thrown) {
    // It may have ended between the look and the telling.
    if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw fromEngine(thrown);
  }
}

/**
 * Looks for a paid job until it is there: its payment creates it in the commit that settles, and
 * the outbox delivers that a moment later.
 *
 * @param look - Answers `undefined` as long as there is no such job.
 * @throws {AppError} `JOB_UNKNOWN` when it has not come into being within ten seconds.
 */
export async function awaitPaidJob<T>(
  look: () => Promise<T | undefined>,
  clock: Clock,
): Promise<T> {
  const latest = clock.now() + CREATION_MS.most;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (clock.now() >= latest) throw new AppError('JOB_UNKNOWN');
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + CREATION_MS.step, resolve);
    });
  }
}

/** For `catch`: a job that is not there is `undefined`; other failures stay what they are. */
export function undefinedWhereUnknown(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'JOB_UNKNOWN') return undefined;
  throw thrown;
}

function rethrow(thrown: unknown): never {
  throw fromEngine(thrown);
}
