import type { ActorCache } from '../engine/actor-cache.ts';
import type { ActorCell } from '../engine/actor-cell.ts';
import type { ActorState } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import type { InternalLane } from '../engine/internal-lane.ts';
import type { CrashRow, Write } from '../engine/ports.ts';
import type { Effect, EffectError, EffectResult, EffectRow, Ev } from '../engine/types.ts';
import type { Committed, Recorder } from '../journal/recorder.ts';
import { isPromise } from '../load/awaitable.ts';
import { waitFor } from '../timer/clock-steps.ts';
import type { EffectAttempt } from '../view/observer.ts';
import type { AttemptOutcome } from './attempt.ts';
import { runAttempt } from './attempt.ts';
import type { EffectApi } from './context-types.ts';
import type { CrashCounter } from './crashes.ts';
import { BLOCKED_PAUSE_MS, EFFECT_CRASHES_MAX, toCrashError, wasInterrupted } from './crashes.ts';
import { createEffectContext } from './effect-context.ts';
import { errorMessage, toEffectError } from './effect-error.ts';
import { STOPPED, toEffectEnd, toResultEvent } from './effect-outcome.ts';
import { EffectRules } from './effect-rules.ts';
import { EffectRun } from './effect-run.ts';
import { KeyedSemaphore } from './keyed-semaphore.ts';
import { sendToActor } from './send-to-actor.ts';

/** Default number of attempts. */
const ATTEMPTS_DEFAULT = 3;

/** Parts of the engine that effects use. */
export interface EffectParts {
  readonly cells: ActorCache;
  readonly recorder: Recorder;
  readonly lane: InternalLane;
  readonly crashes: CrashCounter;
}

/** Runs the effects of all actors, from their start commits to their end commits. */
export class Effects {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #recorder: Recorder;
  readonly #lane: InternalLane;
  readonly #api: EffectApi;
  readonly #crashes: CrashCounter;
  readonly #limiter = new KeyedSemaphore();
  readonly #rules: EffectRules;
  readonly #runs = new Map<string, EffectRun>();
  #closed = false;

  constructor(core: Core, parts: EffectParts, powers: EffectApi) {
    this.#core = core;
    this.#rules = new EffectRules(core);
    this.#crashes = parts.crashes;
    this.#cells = parts.cells;
    this.#recorder = parts.recorder;
    this.#lane = parts.lane;
    this.#api = powers;
  }

  get running(): number {
    return this.#runs.size;
  }

  /** Starts and aborts effects after a committed change. */
  onCommitted({ cell, before, after }: Committed): void {
    // A start skips the effects of a stuck actor; they continue after its repair.
    if (before?.stuck === true && !after.stuck) this.#resumeRepaired(cell, before);
    if (after.snapshot.status !== 'active')
      this.#submitWrites(this.#crashes.clearActor(cell.subject.id));
    if (before?.effects === after.effects) return;
    for (const { childId, token } of before?.effects.values() ?? []) {
      if (after.effects.get(childId)?.token !== token) this.stop(token);
    }
    for (const row of after.effects.values()) {
      const isNew = before?.effects.get(row.childId)?.token !== row.token;
      // A later event that is not on disk yet may already have ended it.
      if (isNew && isRunning(cell, row)) this.#start(cell, row, row.attempt);
    }
  }

  /** Resumes the effects of the last process; first counts an interrupted attempt as a crash. */
  resume(cell: ActorCell): void {
    for (const { childId, token } of cell.live.effects.values()) {
      if (this.#runs.has(token) || isStarting(cell, childId, token)) continue;
      const row = this.#countCrash(cell, cell.live.effects.get(childId) as EffectRow);
      // A stuck actor continues after its repair.
      if (!row.waiting && !cell.live.stuck) this.#start(cell, row, row.attempt + 1);
    }
  }

  #countCrash(cell: ActorCell, row: EffectRow): EffectRow {
    if (!wasInterrupted(row)) return row;
    // `deathsMax` bounds interrupted attempts; they do not use up those that may fail.
    const change = { over: row.attempt, spared: (row.spared ?? 0) + 1 };
    const crash = this.#crashes.countCrash(cell.subject.id, row);
    this.#recorder.updateEffect(cell, row, change, [crash]).catch(() => undefined);
    return { ...row, ...change };
  }

  #submitWrites(writes: readonly Write[]): void {
    if (writes.length === 0) return;
    // Losing this write in a crash only leaves a row that nothing reads.
    this.#core.committer.submit(writes, { done: () => undefined, failed: () => undefined });
  }

  /** Events that directly follow a repair may have started effects that are not on disk yet. */
  #resumeRepaired(cell: ActorCell, before: ActorState): void {
    for (const { childId, token } of before.effects.values()) {
      const row = cell.live.effects.get(childId);
      if (row?.token === token && !row.waiting) this.#start(cell, row, row.attempt + 1);
    }
  }

  /** Aborts an effect. A result that still arrives is journaled as stale. */
  stop(token: string): void {
    const run = this.#runs.get(token);
    if (run === undefined) return;
    this.#runs.delete(token);
    run.stop();
  }

  /**
   * Passes an event of the machine to one of its effects. An effect that has ended gets nothing.
   *
   * @param token - Token of the effect's row.
   */
  receive(token: string, event: Ev): void {
    const run = this.#runs.get(token);
    try {
      run?.receive(event);
    } catch (cause) {
      const actorId = run?.actorId ?? '';
      const reason = errorMessage(cause);
      const message = `${run?.row.src} of ${actorId} threw on ${event.type}: ${reason}`;
      this.#core.notice({ kind: 'listener_failed', actorId, message, cause });
    }
  }

  /** Aborts all effects. The next start runs them again, without counting the aborted attempts. */
  close(): void {
    this.#closed = true;
    for (const run of this.#runs.values()) {
      run.stop();
      if (run.isAttemptRecorded) this.#spareAttempt(run);
      else this.#recordEnd(run);
    }
    this.#runs.clear();
  }

  #spareAttempt({ actorId, row }: EffectRun): void {
    const spared = (row.spared ?? 0) + 1;
    this.#update(actorId, (cell) =>
      this.#recorder.updateEffect(cell, row, { spared, over: recordedAttempt(cell, row) }),
    );
  }

  /** Updates a row of an actor, which may have been evicted from memory while its effect ran. */
  #update(actorId: string, update: (cell: ActorCell) => Promise<unknown>): void {
    const updated = this.#cells.prepare({ ids: [actorId] }, () => {
      const cell = this.#cells.find(actorId);
      if (cell !== undefined) update(cell).catch(() => undefined);
    });
    if (isPromise(updated)) updated.catch(() => undefined);
  }

  #start(cell: ActorCell, row: EffectRow, attempt: number): void {
    const effect = cell.subject.definition.effects[row.src];
    if (effect === undefined || this.#runs.has(row.token)) return;
    const run = new EffectRun(cell.subject.id, cell.subject.definition.kind, row, effect);
    // The commit that starts an effect also records its first attempt.
    run.isAttemptRecorded = attempt === row.attempt && attempt > 0;
    if (this.#closed) {
      if (run.isAttemptRecorded) this.#spareAttempt(run);
      return;
    }
    this.#runs.set(row.token, run);
    // This rejects only after a failed commit, which stops the engine.
    this.#run(run, Math.max(1, attempt)).catch(() => undefined);
  }

  async #run(run: EffectRun, first: number): Promise<void> {
    const { actorId, row } = run;
    const crash = this.#crashes.find(actorId, row.childId);
    const { deathsMax = EFFECT_CRASHES_MAX } = run.effect;
    if (crash !== undefined && crash.deaths >= deathsMax)
      return await this.#rejectCrashed(run, crash);
    const result = await this.#attempts(run, first);
    if (result === undefined) return;
    // If no attempt ended in this process, the crash count stays for the next start of the child.
    await this.#finish(
      run,
      result,
      run.hasEndedAttempt ? this.#crashes.clear(actorId, row.childId) : [],
    );
  }

  /** Ends an effect that crashed its process too often: with a dead letter, later after a delay. */
  async #rejectCrashed(run: EffectRun, crash: CrashRow): Promise<void> {
    const result = failedResult(toCrashError(crash, run.row.src));
    if (crash.deadLetterId !== undefined) {
      await this.#pause(run, BLOCKED_PAUSE_MS);
      return await this.#finish(run, result);
    }
    const found = this.#cells.prepare({ ids: [run.actorId] }, () => {
      // The machine may have left the state in the meantime, so the effect no longer runs.
      const cell = this.#cells.find(run.actorId);
      if (cell === undefined || !isRunning(cell, run.row)) return undefined;
      return this.#crashes.createCrashLetter(crash, run.row);
    });
    const created = isPromise(found) ? await found : found;
    if (created === undefined) return this.#forget(run);
    const { letter: deadLetter, writes } = created;
    await this.#finish(run, result, writes);
    const { actorId, deadLetterId, reason: message } = deadLetter;
    this.#core.notice({ kind: 'effect_crashed', actorId, message, deadLetterId });
  }

  async #acquireSlot(run: EffectRun, { max }: NonNullable<Effect['limit']>): Promise<() => void> {
    const key = `${run.kind}\n${run.row.src}\n${this.#rules.limitKey(run)}`;
    return await this.#limiter.acquire(key, max);
  }

  /** Runs the attempts; returns `undefined` if the effect was stopped or waits for `complete`. */
  async #attempts(run: EffectRun, first: number): Promise<EffectResult | undefined> {
    const { effect } = run;
    const attempts = (effect.attempts ?? ATTEMPTS_DEFAULT) + (run.row.spared ?? 0);
    for (let attempt = first; attempt <= attempts; attempt += 1) {
      const outcome = await this.#runInSlot(run, attempt);
      if (outcome === undefined) return undefined;
      const pauseMs = this.#pauseMs(run, outcome, attempt < attempts ? attempt : undefined);
      if (pauseMs === undefined) return await this.#toResult(run, outcome);
      this.#recordEnd(run);
      await this.#pause(run, pauseMs);
    }
    const message = `All ${attempts} attempts are used up; the result of the last one was lost.`;
    return { ok: false, error: { name: 'EffectError', code: 'EFFECT_ATTEMPTS', message } };
  }

  /** Runs an attempt once a slot is free. Pauses between attempts hold no slot. */
  async #runInSlot(run: EffectRun, attempt: number): Promise<AttemptOutcome | undefined> {
    const { limit, deathsMax = EFFECT_CRASHES_MAX } = run.effect;
    const releaseTurn = await this.#crashes.acquireTurn(run.actorId, run.row.childId, deathsMax);
    let release: (() => void) | undefined;
    try {
      release = limit === undefined ? undefined : await this.#acquireSlot(run, limit);
    } catch (cause) {
      releaseTurn?.();
      return { kind: 'failed', error: toEffectError(cause), retry: false };
    }
    try {
      const hasStarted = await this.#recordStart(run, attempt);
      return hasStarted && !run.isStopped ? await this.#attempt(run, attempt) : undefined;
    } finally {
      release?.();
      releaseTurn?.();
    }
  }

  /** Records an attempt before it starts; the start commit recorded the first one. */
  async #recordStart(run: EffectRun, attempt: number): Promise<boolean> {
    if (run.isStopped) return false;
    if (attempt === run.row.attempt) return true;
    const found = this.#cells.prepare({ ids: [run.actorId] }, () => {
      const cell = this.#cells.find(run.actorId);
      if (cell === undefined || run.isStopped) return undefined;
      run.isAttemptRecorded = true;
      return { cell, recorded: this.#recorder.updateEffect(cell, run.row, { attempt }) };
    });
    const start = isPromise(found) ? await found : found;
    if (start === undefined || !(await start.recorded)) return false;
    run.row = { ...run.row, attempt };
    // A later event that is not on disk yet may have ended it in the meantime.
    return !run.isStopped && isRunning(start.cell, run.row);
  }

  async #attempt(run: EffectRun, attempt: number): Promise<AttemptOutcome> {
    const { row } = run;
    const sendBack = (from: EffectRun, event: Ev) => {
      if (!this.#closed) sendToActor(this.#core, this.#lane, { run: from, attempt, event });
    };
    const context = createEffectContext(run, attempt, { api: this.#api, sendBack });
    const abort = run.createAbort();
    const onEnded = this.#observeAttempt(run, attempt);
    try {
      const findRetry = (thrown: unknown, error: EffectError) =>
        this.#rules.findRetry(run, { thrown, error, attempt });
      const { clock, limits } = this.#core;
      const around = { clock, abort, findRetry, charsMax: limits.eventCharsMax };
      const outcome = await runAttempt(this.#wrap(run, attempt), row.input, context, around);
      onEnded?.(outcome);
      return outcome;
    } finally {
      run.isAttemptRecorded = false;
      run.hasEndedAttempt = true;
    }
  }

  /** Puts the middleware of the engine around an effect. */
  #wrap({ actorId, kind, row, effect }: EffectRun, attempt: number): Effect<never> {
    const { effect: around } = this.#core.use;
    if (around === undefined) return effect;
    const { src, input, token, trace } = row;
    const info: EffectAttempt = { actorId, kind, src, input, token, attempt, trace };
    return { ...effect, run: (given, context) => around(() => effect.run(given, context), info) };
  }

  /** Notifies the observer of an attempt; the returned function notifies it of the end. */
  #observeAttempt(
    run: EffectRun,
    attempt: number,
  ): ((outcome: AttemptOutcome) => void) | undefined {
    const { observer } = this.#core;
    if (observer === undefined) return undefined;
    const { actorId, kind, row } = run;
    const { src, input, token, trace } = row;
    const observed: EffectAttempt = { actorId, kind, src, input, token, attempt, trace };
    const startedAt = observer.now();
    observer.effectBegan(observed);
    return (outcome) => {
      const end = run.isStopped ? STOPPED : toEffectEnd(outcome);
      observer.effectEnded(observed, end, observer.now() - startedAt);
    };
  }

  /** Records that no attempt is running, so that a crash is not attributed to this effect. */
  #recordEnd({ actorId, row, hasEndedAttempt }: EffectRun): void {
    if (!hasEndedAttempt) return;
    this.#update(actorId, (cell) =>
      this.#recorder.updateEffect(cell, row, { over: recordedAttempt(cell, row) }),
    );
  }

  /** Returns the delay before the next attempt; `undefined` if there is none. */
  #pauseMs(run: EffectRun, outcome: AttemptOutcome, attempt: number | undefined) {
    if (attempt === undefined || outcome.kind !== 'failed') return undefined;
    const { retry } = outcome;
    if (run.isStopped || retry === false) return undefined;
    return retry === true ? this.#rules.backoffMs(run, attempt) : retry;
  }

  async #toResult(run: EffectRun, outcome: AttemptOutcome): Promise<EffectResult | undefined> {
    switch (outcome.kind) {
      case 'done':
        return { ok: true, output: outcome.output };
      case 'later':
        await this.#waitForCompletion(run);
        return undefined;
      case 'failed':
        return run.isStopped ? undefined : failedResult(outcome.error);
    }
  }

  async #waitForCompletion(run: EffectRun): Promise<void> {
    if (this.#closed || run.isStopped) return;
    this.#forget(run);
    const found = this.#cells.prepare({ ids: [run.actorId] }, () => {
      const cell = this.#cells.find(run.actorId);
      if (cell === undefined) return undefined;
      const cleared = this.#crashes.clear(run.actorId, run.row.childId);
      return { recorded: this.#recorder.updateEffect(cell, run.row, { waiting: true }, cleared) };
    });
    const end = isPromise(found) ? await found : found;
    await end?.recorded;
  }

  async #pause(run: EffectRun, ms: number): Promise<void> {
    if (run.isStopped) return;
    await new Promise<void>((resolve) => {
      const cancel = waitFor(this.#core.clock, ms, resolve);
      run.onStop = () => {
        cancel();
        resolve();
      };
    });
  }

  async #finish(run: EffectRun, result: EffectResult, extra: readonly Write[] = []): Promise<void> {
    if (this.#closed) return;
    const { row, actorId } = run;
    const { childId, token } = row;
    // A purged id may be in use again with the same tokens; then this is another run.
    const current = this.#cells.peek(actorId)?.live.effects.get(childId)?.token;
    if (run.isStopped && current === token) return;
    if (this.#cells.peek(actorId)?.live.stuck === true) this.#recordEnd(run);
    const receipt = await this.#lane.deliver(actorId, toResultEvent(row, result), {
      isCurrent: (state) => state.effects.get(childId)?.token === token,
      extra,
    });
    this.#forget(run);
    await receipt.committed;
  }

  #forget(run: EffectRun): void {
    if (this.#runs.get(run.row.token) === run) this.#runs.delete(run.row.token);
  }
}

function isRunning(cell: ActorCell, row: EffectRow): boolean {
  return cell.live.effects.get(row.childId)?.token === row.token;
}

/** Returns whether an effect is of this process, although its start is not on disk yet. */
function isStarting({ committed }: ActorCell, childId: string, token: string): boolean {
  return committed !== undefined && committed.effects.get(childId)?.token !== token;
}

/** Returns the last recorded attempt, on disk or not. */
function recordedAttempt(cell: ActorCell, row: EffectRow): number {
  return cell.live.effects.get(row.childId)?.attempt ?? row.attempt;
}

function failedResult(error: EffectError): EffectResult {
  return { ok: false, error };
}
