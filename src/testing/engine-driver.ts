import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine } from 'xstate';
import { AppError } from '../domain/common/error.ts';
import { define } from '../runtime/engine/define.ts';
import { createEngine, type EngineOptions } from '../runtime/engine/engine.ts';
import { EngineError } from '../runtime/engine/error.ts';
import type { EngineStore } from '../runtime/engine/ports.ts';
import type { ActorEngine, EffectResult, EffectRow, Ev } from '../runtime/engine/types.ts';
import { memoryStore } from '../runtime/store/memory-store.ts';
import { SimulatedClock } from '../runtime/timer/clock.ts';
import type { Driver, DueTimer, EndedEffect, Observed } from './driver.ts';
import { Gates } from './gates.ts';
import { Messages } from './messages.ts';
import { MODEL_START_MS } from './model.ts';
import { Life } from './mortal.ts';
import type { TestStep } from './path.ts';

/** Machine, store and engine of an {@link engineDriver}. */
export interface EngineDriverOptions {
  readonly machine: AnyStateMachine;
  /**
   * Opens the store at the start and after every kill, once the previous one is closed. Default:
   * one memory store that survives kills.
   */
  readonly openStore?: () => EngineStore | Promise<EngineStore>;
  /** Starts the engine. Default: `createEngine`. */
  readonly startEngine?: (options: EngineOptions) => Promise<ActorEngine>;
}

/**
 * Runs one actor of a machine in an engine on a simulated clock. Effects start and wait until the
 * path completes them. It observes state, timers with due times, effects, the whole context and all
 * messages, and can inject all faults.
 */
export function engineDriver(options: EngineDriverOptions): Driver {
  const world = new EngineUnderTest(options);
  return {
    start: (input) => world.start(input),
    send: (event) => world.send(event),
    elapse: (timer) => world.elapse(timer),
    settle: (effect, result) => world.settle(effect, result),
    observe: () => world.observe(),
    faults: {
      kill_restart: () => world.killAndRestart(),
      lost_reply: (step) => world.repeat(step, 1),
      duplicate: (step) => world.repeat(step, 2),
      delay: () => world.deliverLate(),
    },
    close: () => world.close(),
  };
}

const ID = 'actor-under-test';
/** Number of idle turns after which an engine counts as idle. */
const CALM_TURNS = 4;
/** Maximum number of turns until the engine is idle. */
const TURNS_MAX = 100_000;
/** The simulated clock may advance by years while an effect runs. */
const EFFECT_TIMEOUT_MS = 1_000 * 365 * 24 * 60 * 60 * 1_000;
/** Each kill restarts running effects. It must not exhaust their attempts or crash limits. */
const KILLS_MAX = 1_000_000;

class EngineUnderTest {
  readonly #options: EngineDriverOptions;
  readonly #clock: SimulatedClock;
  readonly #gates = new Gates();
  readonly #messages = new Messages(ID);
  /** Tokens of all effects seen running. */
  readonly #tokens = new Set<string>();
  #life = new Life();
  #store: EngineStore | undefined;
  #engine: ActorEngine | undefined;
  #sent: { readonly event: Ev; readonly key: string; readonly ack: unknown } | undefined;
  #ended: { readonly token: string; readonly result: EffectResult } | undefined;
  #count = 0;

  constructor(options: EngineDriverOptions) {
    this.#options = options;
    this.#clock = new SimulatedClock(MODEL_START_MS, () => this.#rest());
  }

  async start(input: unknown): Promise<void> {
    await this.#boot();
    await this.#running.create(this.#kind, ID, input);
    await this.#clock.advance(0);
  }

  async send(event: Ev): Promise<void> {
    this.#count += 1;
    const key = `event-${this.#count}`;
    const ack = await this.#running.tell(ID, event, { idempotencyKey: key });
    this.#sent = { event, key, ack };
    await this.#clock.advance(0);
  }

  async elapse({ timerId, delayMs }: DueTimer): Promise<void> {
    const { timers } = await this.#running.view(ID);
    if (!timers.some((row) => row.timerId === timerId)) throw missing('timer', timerId);
    await this.#clock.advance(delayMs);
  }

  async settle({ childId }: EndedEffect, result: EffectResult): Promise<void> {
    const row = (await this.#effects()).find((each) => each.childId === childId);
    if (row === undefined || !this.#gates.end(row.token, result)) throw missing('effect', childId);
    this.#ended = { token: row.token, result };
    await this.#clock.advance(0);
  }

  async observe(): Promise<Observed> {
    const { value, status, timers, context } = await this.#running.view(ID);
    const now = this.#clock.now();
    return {
      value,
      status,
      timers: timers.map(({ timerId }) => timerId),
      dueInMs: Object.fromEntries(timers.map(({ timerId, due }) => [timerId, due - now])),
      effects: (await this.#effects()).map(({ childId }) => childId),
      context,
      messages: this.#messages.all(),
    };
  }

  async killAndRestart(): Promise<void> {
    this.#life.end();
    if (this.#options.openStore !== undefined) await this.#store?.close();
    await this.#boot();
  }

  /** Delivers the last event or result again. Each time the first response must be returned. */
  async repeat(step: TestStep | undefined, times: number): Promise<void> {
    const calls = Array.from({ length: times }, () => this.#again(step));
    await Promise.all(calls);
    await this.#clock.advance(0);
  }

  /** Delivers results of effects that are no longer running. */
  async deliverLate(): Promise<void> {
    const current = new Set((await this.#effects()).map(({ token }) => token));
    const late = { ok: true, output: null } as const;
    for (const token of this.#tokens) {
      if (current.has(token)) continue;
      this.#gates.end(token, late);
      await this.#refused(token, late);
    }
    await this.#clock.advance(0);
  }

  async close(): Promise<void> {
    const engine = this.#engine;
    if (engine !== undefined && !this.#life.isOver) await engine.close();
    this.#life.end();
    await this.#store?.close();
  }

  get #running(): ActorEngine {
    if (this.#engine === undefined) throw missing('start', ID);
    return this.#engine;
  }

  get #kind(): string {
    return this.#options.machine.id;
  }

  async #boot(): Promise<void> {
    const { machine, openStore = () => this.#store ?? memoryStore() } = this.#options;
    const { startEngine = createEngine } = this.#options;
    const names = Object.keys(machine.implementations.actors);
    const effect = {
      run: this.#gates.run,
      attempts: KILLS_MAX,
      deathsMax: KILLS_MAX,
      timeoutMs: EFFECT_TIMEOUT_MS,
      isRetryable: () => false,
    };
    const effects = Object.fromEntries(names.map((name) => [name, effect]));
    const definition = define({ kind: this.#kind, version: 1, machine, effects: effects as never });
    this.#life = new Life();
    this.#store = await openStore();
    this.#engine = await startEngine({
      store: this.#life.store(this.#store, (writes) => this.#messages.note(writes)),
      clock: this.#life.clock(this.#clock),
      definitions: [definition],
    });
    await this.#clock.advance(0);
  }

  async #effects(): Promise<readonly EffectRow[]> {
    const { effects } = await this.#running.view(ID);
    for (const { token } of effects) this.#tokens.add(token);
    return effects;
  }

  async #again(step: TestStep | undefined): Promise<void> {
    if (step?.kind === 'event' && this.#sent !== undefined) {
      const { event, key, ack } = this.#sent;
      const again = await this.#running.tell(ID, event, { idempotencyKey: key });
      if (isDeepStrictEqual(again, ack)) return;
      const message = 'the repeated event returned a different response than the first one';
      throw new AppError('PATH_FAILED', { message, data: { event: event.type } });
    }
    if (step !== undefined && this.#ended !== undefined) {
      await this.#refused(this.#ended.token, this.#ended.result);
    }
  }

  /** A result for an effect that is not running must fail with `EFFECT_UNKNOWN`. */
  async #refused(token: string, result: EffectResult): Promise<void> {
    try {
      await this.#running.complete(token, result);
    } catch (thrown) {
      if (thrown instanceof EngineError && thrown.code === 'EFFECT_UNKNOWN') return;
      throw thrown;
    }
    const message = 'the engine accepted a result of an effect that is not running';
    throw new AppError('PATH_FAILED', { message, data: { token } });
  }

  async #rest(): Promise<void> {
    let calm = 0;
    for (let turn = 0; turn < TURNS_MAX && calm < CALM_TURNS; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#life.written();
      const isBusy = !this.#life.isOver && (this.#engine?.stats().pendingCommits ?? 0) > 0;
      calm = isBusy ? 0 : calm + 1;
    }
  }
}

function missing(what: string, name: string): AppError {
  const message = `the system has no ${what} ${name}`;
  return new AppError('PATH_FAILED', { message, data: { [what]: name } });
}
