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

/** Default number of attempts. */
const ATTEMPTS = 3;

/** Engine functions available to effects. */
export interface EffectPowers {
  tell(id: string, event: Ev, o?: TellOptions): Promise<Ack>;
  show(id: string, event: Ev): void;
}

/** Parts of the engine that effects use. */
export interface EffectParts {
  readonly cells: Cells;
  readonly recorder: Recorder;
  readonly lane: InternalLane;
  readonly crashes: Crashes;
}

/** Creates the event that gives a machine the result of its effect. */
export function resultEvent(row: EffectRow, result: EffectResult): Incoming {
  const { childId, token, attempt } = row;
  const event: Ev = result.ok
    ? { type: `xstate.done.actor.${childId}`, output: result.output, actorId: childId }
    : { type: `xstate.error.actor.${childId}`, error: result.error, actorId: childId };
  return { event, cause: { by: 'effect', token, attempt }, childId };
}

/** Runs the effects of all actors, from their start commits to their end commits. */
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

  /** Starts and aborts effects after a committed change. */
  follow({ cell, before, after }: Committed): void {
    // A start skips the effects of a stuck actor; they continue after its repair.
    if (before?.stuck === true && !after.stuck) this.#goOn(cell, before);
    if (after.snapshot.status !== 'active')
      this.#submit(this.#crashes.clearAllDeaths(cell.subject.id));
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
  resume(cell: Cell): void {
    for (const { childId } of cell.live.effects.values()) {
      const row = this.#countCutShort(cell, cell.live.effects.get(childId) as EffectRow);
      // A stuck actor continues after its repair.
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
    // Losing this write in a crash only leaves a row that nothing reads.
    this.#core.committer.submit(writes, { done: () => undefined, failed: () => undefined });
  }

  /** Events that directly follow a repair may have started effects that are not on disk yet. */
  #goOn(cell: Cell, before: Moment): void {
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

  /** Aborts all effects. The next start runs them again, without counting the aborted attempts. */
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
    // The actor may have been evicted from memory while its effect ran.
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
    // The commit that starts an effect also records its first attempt.
    run.isNoted = attempt === row.attempt && attempt > 0;
    if (this.#closed) {
      if (run.isNoted) this.#spare(run);
      return;
    }
    this.#runs.set(row.token, run);
    // This rejects only after a failed commit, which stops the engine.
    this.#work(run, Math.max(1, attempt)).catch(() => undefined);
  }

  async #work(run: EffectRun, first: number): Promise<void> {
    const { actorId, row } = run;
    const crash = this.#crashes.of(actorId, row.childId);
    const { deathsMax = DEATHS_MAX } = run.effect;
    if (crash !== undefined && crash.deaths >= deathsMax) return await this.#refuse(run, crash);
    const result = await this.#attempts(run, first);
    if (result === undefined) return;
    // If no attempt ended in this process, the crash count stays for the next start of the child.
    await this.#finish(
      run,
      result,
      run.hasEndedAttempt ? this.#crashes.clearDeaths(actorId, row.childId) : [],
    );
  }

  /** Ends an effect that crashed its process too often: with a dead letter, later after a delay. */
  async #refuse(run: EffectRun, crash: CrashRow): Promise<void> {
    const result = failure(crashError(crash, run.row.src));
    if (crash.deadLetterId !== undefined) {
      await this.#pause(run, REFUSAL_PAUSE_MS);
      return await this.#finish(run, result);
    }
    // The machine may have left the state in the meantime, so the effect no longer runs.
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

  /** Runs the attempts; returns `undefined` if the effect was stopped or waits for `complete`. */
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
    const message = `All ${attempts} attempts were interrupted by the end of the process.`;
    return { ok: false, error: { name: 'EffectError', code: 'EFFECT_ATTEMPTS', message } };
  }

  /** Runs an attempt once a slot is free. Pauses between attempts hold no slot. */
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

  /** Records an attempt before it starts; the start commit recorded the first one. */
  async #begin(run: EffectRun, attempt: number): Promise<boolean> {
    if (run.stopped) return false;
    if (attempt === run.row.attempt) return true;
    const cell = this.#cells.find(run.actorId);
    if (cell === undefined) return false;
    run.isNoted = true;
    if (!(await this.#recorder.note(cell, run.row, { attempt }))) return false;
    run.row = { ...run.row, attempt };
    // A later event that is not on disk yet may have ended it in the meantime.
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

  /** Notifies the observer of an attempt; the returned function notifies it of the end. */
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

  /** Records that no attempt is running, so that a crash is not attributed to this effect. */
  #noteOver({ actorId, row, hasEndedAttempt }: EffectRun): void {
    const cell = this.#cells.find(actorId);
    if (cell === undefined || !hasEndedAttempt) return;
    this.#recorder.note(cell, row, { over: notedAttempt(cell, row) }).catch(() => undefined);
  }

  /** Returns the delay before the next attempt; `undefined` if there is none. */
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
    // A purged id may be in use again with the same tokens; then this is another run.
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

/** Returns the last recorded attempt, on disk or not. */
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
