import type { Cell } from '../engine/cell.ts';
import type { Cells } from '../engine/cells.ts';
import type { Core } from '../engine/core.ts';
import type { InternalLane } from '../engine/internal-lane.ts';
import type { Incoming, Moment } from '../engine/moment.ts';
import type { CrashRow, Write } from '../engine/ports.ts';
import type {
  Ack,
  Effect,
  EffectContext,
  EffectError,
  EffectResult,
  EffectRow,
  Ev,
  TellOptions,
} from '../engine/types.ts';
import type { Committed, Recorder } from '../journal/recorder.ts';
import type { EffectAttempt, EffectEnd } from '../view/observer.ts';
import type { AttemptOutcome } from './attempt.ts';
import { runAttempt } from './attempt.ts';
import type { Crashes } from './crashes.ts';
import { crashError, DEATHS_MAX, REFUSAL_PAUSE_MS, wasCutShort } from './crashes.ts';
import { toEffectError } from './effect-error.ts';
import { EffectRules } from './effect-rules.ts';
import { EffectRun } from './effect-run.ts';
import { Limiter } from './limiter.ts';

/** Total attempts, unless the effect says otherwise. */
const ATTEMPTS = 3;

/** What effects may do to the world of actors. */
export interface EffectPowers {
  tell(id: string, event: Ev, o?: TellOptions): Promise<Ack>;
  show(id: string, event: Ev): void;
}

/** The parts of an engine that effects work with. */
export interface EffectParts {
  readonly cells: Cells;
  readonly recorder: Recorder;
  readonly lane: InternalLane;
  readonly crashes: Crashes;
}

/** The event that tells a machine how its effect ended. */
export function resultEvent(row: EffectRow, result: EffectResult): Incoming {
  const { childId, token, attempt } = row;
  const event: Ev = result.ok
    ? { type: `xstate.done.actor.${childId}`, output: result.output, actorId: childId }
    : { type: `xstate.error.actor.${childId}`, error: result.error, actorId: childId };
  return { event, cause: { by: 'effect', token, attempt }, childId };
}

/** Runs the effects of all actors, from the commit that begins one to the one that ends it. */
export class Effects {
  readonly #core: Core;
  readonly #cells: Cells;
  readonly #recorder: Recorder;
  readonly #lane: InternalLane;
  readonly #powers: EffectPowers;
  readonly #crashes: Crashes;
  readonly #limiter = new Limiter();
  readonly #rules: EffectRules;
  readonly #runs = new Map<string, EffectRun>();
  #closed = false;

  constructor(core: Core, parts: EffectParts, powers: EffectPowers) {
    this.#core = core;
    this.#rules = new EffectRules(core);
    this.#crashes = parts.crashes;
    this.#cells = parts.cells;
    this.#recorder = parts.recorder;
    this.#lane = parts.lane;
    this.#powers = powers;
  }

  get running(): number {
    return this.#runs.size;
  }

  /** Starts and aborts what a committed change began and ended. */
  follow({ cell, before, after }: Committed): void {
    // A start leaves the effects of a stuck actor alone; they go on with its repair.
    if (before?.stuck === true && !after.stuck) this.#goOn(cell, before);
    if (after.snapshot.status !== 'active')
      this.#submit(this.#crashes.clearAllDeaths(cell.subject.id));
    if (before?.effects === after.effects) return;
    for (const { childId, token } of before?.effects.values() ?? []) {
      if (after.effects.get(childId)?.token !== token) this.stop(token);
    }
    for (const row of after.effects.values()) {
      const isNew = before?.effects.get(row.childId)?.token !== row.token;
      // A later event may have ended it already, though that one is not on disk yet.
      if (isNew && isRunning(cell, row)) this.#start(cell, row, row.attempt);
    }
  }

  /**
   * Takes up what was running when the last process ended. What it was cut short in counts as a
   * death; that is on disk before the next attempt, which is noted behind it.
   */
  resume(cell: Cell): void {
    for (const { childId } of cell.live.effects.values()) {
      const row = this.#countCutShort(cell, cell.live.effects.get(childId) as EffectRow);
      // A stuck actor goes on with its repair.
      if (!row.waiting && !cell.live.stuck) this.#start(cell, row, row.attempt + 1);
    }
  }

  #countCutShort(cell: Cell, row: EffectRow): EffectRow {
    if (!wasCutShort(row)) return row;
    const over = row.attempt;
    const death = this.#crashes.countDeath(cell.subject.id, row);
    this.#recorder.note(cell, row, { over }, [death]).catch(() => undefined);
    return { ...row, over };
  }

  #submit(writes: readonly Write[]): void {
    if (writes.length === 0) return;
    // What is lost of it with the process is a row that nobody reads.
    this.#core.committer.submit(writes, { done: () => undefined, failed: () => undefined });
  }

  /** Events that follow a repair at once may have begun effects that are not on disk yet. */
  #goOn(cell: Cell, before: Moment): void {
    for (const { childId, token } of before.effects.values()) {
      const row = cell.live.effects.get(childId);
      if (row?.token === token && !row.waiting) this.#start(cell, row, row.attempt + 1);
    }
  }

  /** Aborts an effect; what it still answers is journaled as stale. */
  stop(token: string): void {
    const run = this.#runs.get(token);
    if (run === undefined) return;
    this.#runs.delete(token);
    run.stop();
  }

  /**
   * Aborts everything. The rows stay: the next start runs them again, and the attempts that end
   * here do not use up the limit.
   */
  close(): void {
    this.#closed = true;
    for (const run of this.#runs.values()) {
      run.stop();
      if (run.isNoted) this.#spare(run);
      else this.#noteOver(run);
    }
    this.#runs.clear();
  }

  #spare({ actorId, row }: EffectRun): void {
    // It may have left the memory while its effect was at work.
    const cell = this.#cells.find(actorId);
    if (cell === undefined) return;
    const spared = (row.spared ?? 0) + 1;
    this.#recorder
      .note(cell, row, { spared, over: notedAttempt(cell, row) })
      .catch(() => undefined);
  }

  #start(cell: Cell, row: EffectRow, attempt: number): void {
    const effect = cell.subject.definition.effects[row.src];
    if (effect === undefined || this.#runs.has(row.token)) return;
    const run = new EffectRun(cell.subject.id, cell.subject.definition.kind, row, effect);
    // The commit that begins an effect notes its first attempt.
    run.isNoted = attempt === row.attempt && attempt > 0;
    if (this.#closed) {
      if (run.isNoted) this.#spare(run);
      return;
    }
    this.#runs.set(row.token, run);
    // Nothing in it rejects but a failed commit, which ends the engine.
    this.#work(run, Math.max(1, attempt)).catch(() => undefined);
  }

  async #work(run: EffectRun, first: number): Promise<void> {
    const { actorId, row } = run;
    const crash = this.#crashes.of(actorId, row.childId);
    const { deathsMax = DEATHS_MAX } = run.effect;
    if (crash !== undefined && crash.deaths >= deathsMax) return await this.#refuse(run, crash);
    const result = await this.#attempts(run, first);
    if (result === undefined) return;
    // Where no attempt ended in this life, the deaths stay for the next start of the child.
    await this.#finish(
      run,
      result,
      run.hasEndedAttempt ? this.#crashes.clearDeaths(actorId, row.childId) : [],
    );
  }

  /** Ends an effect that killed its process too often: with a dead letter, later after a wait. */
  async #refuse(run: EffectRun, crash: CrashRow): Promise<void> {
    const result = failure(crashError(crash, run.row.src));
    if (crash.deadLetterId !== undefined) {
      await this.#pause(run, REFUSAL_PAUSE_MS);
      return await this.#finish(run, result);
    }
    // What its machine has left in the meantime is not at work any more.
    const cell = this.#cells.find(run.actorId);
    if (cell === undefined || !isRunning(cell, run.row)) return this.#forget(run);
    const { letter, writes } = this.#crashes.makeCrashLetter(crash, run.row);
    await this.#finish(run, result, writes);
    const { actorId, deadLetterId, reason: message } = letter;
    this.#core.notice({ kind: 'effect_crashed', actorId, message, deadLetterId });
  }

  async #place(run: EffectRun, { max }: NonNullable<Effect['limit']>): Promise<() => void> {
    const key = `${run.kind}\n${run.row.src}\n${this.#rules.limitKey(run)}`;
    return await this.#limiter.acquire(key, max);
  }

  /** @returns `undefined` when there is nothing to tell: it was stopped, or it waits. */
  async #attempts(run: EffectRun, first: number): Promise<EffectResult | undefined> {
    const { effect } = run;
    const attempts = (effect.attempts ?? ATTEMPTS) + (run.row.spared ?? 0);
    for (let attempt = first; attempt <= attempts; attempt += 1) {
      const outcome = await this.#inPlace(run, attempt);
      if (outcome === undefined) return undefined;
      const pauseMs = this.#pauseMs(run, outcome, attempt < attempts ? attempt : undefined);
      if (pauseMs === undefined) return await this.#judge(run, outcome);
      this.#noteOver(run);
      await this.#pause(run, pauseMs);
    }
    const message = `${attempts} attempts were begun and none ended before the process did`;
    return { ok: false, error: { name: 'EffectError', code: 'EFFECT_ATTEMPTS', message } };
  }

  /** Makes an attempt when there is a place for it; pauses between attempts hold none. */
  async #inPlace(run: EffectRun, attempt: number): Promise<AttemptOutcome | undefined> {
    const { limit, deathsMax = DEATHS_MAX } = run.effect;
    const endTurn = await this.#crashes.turn(run.actorId, run.row.childId, deathsMax);
    let release: (() => void) | undefined;
    try {
      release = limit === undefined ? undefined : await this.#place(run, limit);
    } catch (cause) {
      endTurn?.();
      return { kind: 'failed', error: toEffectError(cause), isRetryable: false };
    }
    try {
      const isBegun = await this.#begin(run, attempt);
      return isBegun && !run.stopped ? await this.#attempt(run, attempt) : undefined;
    } finally {
      release?.();
      endTurn?.();
    }
  }

  /** Notes the attempt before it begins. The first one was noted by the commit that began it. */
  async #begin(run: EffectRun, attempt: number): Promise<boolean> {
    if (run.stopped) return false;
    if (attempt === run.row.attempt) return true;
    const cell = this.#cells.find(run.actorId);
    if (cell === undefined) return false;
    run.isNoted = true;
    if (!(await this.#recorder.note(cell, run.row, { attempt }))) return false;
    run.row = { ...run.row, attempt };
    // A later event may have ended it meanwhile, though that one is not on disk yet.
    return !run.stopped && isRunning(cell, run.row);
  }

  async #attempt(run: EffectRun, attempt: number): Promise<AttemptOutcome> {
    const { actorId, row, effect } = run;
    const context: Omit<EffectContext, 'signal' | 'now'> = {
      actorId,
      token: row.token,
      attempt,
      tell: (id, event, o) => this.#powers.tell(id, event, withTrace(o, row.trace)),
      show: (event) => this.#powers.show(actorId, event),
    };
    const abort = run.arm();
    const ended = this.#watched(run, attempt);
    try {
      const isRetryable = (error: unknown) => this.#rules.isRetryable(run, error);
      const around = { clock: this.#core.clock, abort, isRetryable };
      const outcome = await runAttempt(effect, row.input, context, around);
      ended?.(outcome);
      return outcome;
    } finally {
      run.isNoted = false;
      run.hasEndedAttempt = true;
    }
  }

  /** Tells the observer of an attempt; what comes back tells it of the end. */
  #watched(run: EffectRun, attempt: number): ((outcome: AttemptOutcome) => void) | undefined {
    const { observer } = this.#core;
    if (observer === undefined) return undefined;
    const { actorId, kind, row } = run;
    const { src, input, token, trace } = row;
    const watched: EffectAttempt = { actorId, kind, src, input, token, attempt, trace };
    const begunAt = observer.now();
    observer.effectBegan(watched);
    return (outcome) => {
      const end = run.stopped ? STOPPED : endOf(outcome);
      observer.effectEnded(watched, end, observer.now() - begunAt);
    };
  }

  /** A process that dies between two attempts, or while a result is held, dies of another. */
  #noteOver({ actorId, row, hasEndedAttempt }: EffectRun): void {
    const cell = this.#cells.find(actorId);
    if (cell === undefined || !hasEndedAttempt) return;
    this.#recorder.note(cell, row, { over: notedAttempt(cell, row) }).catch(() => undefined);
  }

  /** How long to wait before the next attempt; `undefined` when there is none. */
  #pauseMs(run: EffectRun, outcome: AttemptOutcome, attempt: number | undefined) {
    if (attempt === undefined || outcome.kind !== 'failed') return undefined;
    return run.stopped || !outcome.isRetryable ? undefined : this.#rules.backoffMs(run, attempt);
  }

  async #judge(run: EffectRun, outcome: AttemptOutcome): Promise<EffectResult | undefined> {
    switch (outcome.kind) {
      case 'done':
        return { ok: true, output: outcome.output };
      case 'later':
        await this.#wait(run);
        return undefined;
      case 'failed':
        return run.stopped ? undefined : failure(outcome.error);
    }
  }

  async #wait(run: EffectRun): Promise<void> {
    if (this.#closed || run.stopped) return;
    this.#forget(run);
    const cell = this.#cells.find(run.actorId);
    if (cell === undefined) return;
    const cleared = this.#crashes.clearDeaths(run.actorId, run.row.childId);
    await this.#recorder.note(cell, run.row, { waiting: true }, cleared);
  }

  async #pause(run: EffectRun, ms: number): Promise<void> {
    if (run.stopped) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#core.clock.at(this.#core.clock.now() + ms, resolve);
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
    // A purged id may be in use again, with the same tokens: this is not the run that is meant.
    const current = this.#cells.peek(actorId)?.live.effects.get(childId)?.token;
    if (run.stopped && current === token) return;
    if (this.#cells.peek(actorId)?.live.stuck === true) this.#noteOver(run);
    const receipt = await this.#lane.deliver(actorId, resultEvent(row, result), {
      isCurrent: (moment) => moment.effects.get(childId)?.token === token,
      extra,
    });
    this.#forget(run);
    await receipt.committed;
  }

  #forget(run: EffectRun): void {
    if (this.#runs.get(run.row.token) === run) this.#runs.delete(run.row.token);
  }
}

function isRunning(cell: Cell, row: EffectRow): boolean {
  return cell.live.effects.get(row.childId)?.token === row.token;
}

/** The attempt that was noted last, on disk or not. */
function notedAttempt(cell: Cell, row: EffectRow): number {
  return cell.live.effects.get(row.childId)?.attempt ?? row.attempt;
}

const STOPPED: EffectEnd = { outcome: 'stopped' };

function endOf(outcome: AttemptOutcome): EffectEnd {
  if (outcome.kind !== 'failed') return { outcome: outcome.kind };
  const { code, name } = outcome.error;
  return { outcome: 'failed', error: code ?? name };
}

function withTrace(o: TellOptions | undefined, trace: string | undefined): TellOptions | undefined {
  return trace === undefined || o?.trace !== undefined ? o : { ...o, trace };
}

function failure(error: EffectError): EffectResult {
  return { ok: false, error };
}
