import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine } from 'xstate';
import { AppError } from '../domain/common/error.ts';
import { define } from '../runtime/engine/define.ts';
import { createEngine, type EngineOptions } from '../runtime/engine/engine.ts';
import { EngineError } from '../runtime/engine/error.ts';
import type { EngineStore } from '../runtime/engine/ports.ts';
import type {
  ActorEngine,
  EffectContext,
  EffectResult,
  EffectRow,
  Ev,
} from '../runtime/engine/types.ts';
import { memoryStore } from '../runtime/store/memory-store.ts';
import { SimulatedClock } from '../runtime/timer/clock.ts';
import type { Driver, DueTimer, EndedEffect, Observed } from './driver.ts';
import { MessageRecorder } from './message-recorder.ts';
import { MODEL_START_MS } from './model.ts';
import type { TestStep } from './path.ts';
import { SimulatedProcess } from './simulated-process.ts';

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
    wait: (ms) => world.wait(ms),
    settle: (effect, result) => world.settle(effect, result),
    observe: () => world.observe(),
    faults: {
      kill_restart: () => world.killAndRestart(),
      lost_reply: (step) => world.repeat(step, 1),
      duplicate: (step) => world.repeat(step, 2),
      delay: () => world.deliverLateResults(),
    },
    close: () => world.close(),
  };
}

const ACTOR_ID = 'actor-under-test';
/** Number of idle turns after which an engine counts as idle. */
const IDLE_TURNS = 4;
/** Maximum number of turns until the engine is idle. */
const TURNS_MAX = 100_000;
/** The simulated clock may advance by years while an effect runs. */
const EFFECT_TIMEOUT_MS = 1_000 * 365 * 24 * 60 * 60 * 1_000;
/** Each kill restarts running effects. It must not exhaust their attempts or crash limits. */
const KILLS_MAX = 1_000_000;

class EngineUnderTest {
  readonly #options: EngineDriverOptions;
  readonly #clock: SimulatedClock;
  readonly #gates = new EffectGates();
  readonly #messages = new MessageRecorder(ACTOR_ID);
  /** Tokens of all effects seen running. */
  readonly #tokens = new Set<string>();
  #process = new SimulatedProcess();
  #store: EngineStore | undefined;
  #engine: ActorEngine | undefined;
  #sent: { readonly event: Ev; readonly key: string; readonly ack: unknown } | undefined;
  #ended: { readonly token: string; readonly result: EffectResult } | undefined;
  #count = 0;

  constructor(options: EngineDriverOptions) {
    this.#options = options;
    this.#clock = new SimulatedClock(MODEL_START_MS, () => this.#waitUntilIdle());
  }

  async start(input: unknown): Promise<void> {
    await this.#bootEngine();
    await this.#running.create(this.#kind, ACTOR_ID, input);
    await this.#clock.advance(0);
  }

  async send(event: Ev): Promise<void> {
    this.#count += 1;
    const key = `event-${this.#count}`;
    try {
      const ack = await this.#running.tell(ACTOR_ID, event, { idempotencyKey: key });
      this.#sent = { event, key, ack };
    } catch (thrown) {
      if (!(thrown instanceof EngineError && thrown.code === 'ACTOR_CLOSED')) throw thrown;
      this.#sent = undefined;
    }
    await this.#clock.advance(0);
  }

  async elapse({ timerId, delayMs }: DueTimer): Promise<void> {
    const { timers } = await this.#running.view(ACTOR_ID);
    if (!timers.some((row) => row.timerId === timerId)) throw missingError('timer', timerId);
    await this.#clock.advance(delayMs);
  }

  async wait(ms: number): Promise<void> {
    await this.#clock.advance(ms);
  }

  async settle({ childId }: EndedEffect, result: EffectResult): Promise<void> {
    const row = (await this.#effects()).find((each) => each.childId === childId);
    if (row === undefined || !this.#gates.complete(row.token, result))
      throw missingError('effect', childId);
    this.#ended = { token: row.token, result };
    await this.#clock.advance(0);
  }

  async observe(): Promise<Observed> {
    const { value, status, timers, context } = await this.#running.view(ACTOR_ID);
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
    this.#process.kill();
    if (this.#options.openStore !== undefined) await this.#store?.close();
    await this.#bootEngine();
  }

  /** Delivers the last event or result again. Each time the first response must be returned. */
  async repeat(step: TestStep | undefined, times: number): Promise<void> {
    const calls = Array.from({ length: times }, () => this.#repeatOnce(step));
    await Promise.all(calls);
    await this.#clock.advance(0);
  }

  /** Delivers results of effects that are no longer running. */
  async deliverLateResults(): Promise<void> {
    const current = new Set((await this.#effects()).map(({ token }) => token));
    const late = { ok: true, output: null } as const;
    for (const token of this.#tokens) {
      if (current.has(token)) continue;
      this.#gates.complete(token, late);
      await this.#expectRejected(token, late);
    }
    await this.#clock.advance(0);
  }

  async close(): Promise<void> {
    const engine = this.#engine;
    if (engine !== undefined && !this.#process.isOver) await engine.close();
    this.#process.kill();
    await this.#store?.close();
  }

  get #running(): ActorEngine {
    if (this.#engine === undefined) throw missingError('start', ACTOR_ID);
    return this.#engine;
  }

  get #kind(): string {
    return this.#options.machine.id;
  }

  async #bootEngine(): Promise<void> {
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
    this.#process = new SimulatedProcess();
    this.#store = await openStore();
    this.#engine = await startEngine({
      store: this.#process.wrapStore(this.#store, (writes) => this.#messages.record(writes)),
      clock: this.#process.wrapClock(this.#clock),
      definitions: [definition],
    });
    await this.#clock.advance(0);
  }

  async #effects(): Promise<readonly EffectRow[]> {
    const { effects } = await this.#running.view(ACTOR_ID);
    for (const { token } of effects) this.#tokens.add(token);
    return effects;
  }

  async #repeatOnce(step: TestStep | undefined): Promise<void> {
    if (step?.kind === 'event' && this.#sent !== undefined) {
      const { event, key, ack } = this.#sent;
      const again = await this.#running.tell(ACTOR_ID, event, { idempotencyKey: key });
      if (isDeepStrictEqual(again, ack)) return;
      const message = 'the repeated event returned a different response than the first one';
      throw new AppError('PATH_FAILED', { message, data: { event: event.type } });
    }
    if (step !== undefined && this.#ended !== undefined) {
      await this.#expectRejected(this.#ended.token, this.#ended.result);
    }
  }

  /** A result for an effect that is not running must fail with `EFFECT_UNKNOWN`. */
  async #expectRejected(token: string, result: EffectResult): Promise<void> {
    try {
      await this.#running.complete(token, result);
    } catch (thrown) {
      if (thrown instanceof EngineError && thrown.code === 'EFFECT_UNKNOWN') return;
      throw thrown;
    }
    const message = 'the engine accepted a result of an effect that is not running';
    throw new AppError('PATH_FAILED', { message, data: { token } });
  }

  async #waitUntilIdle(): Promise<void> {
    let calm = 0;
    for (let turn = 0; turn < TURNS_MAX && calm < IDLE_TURNS; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#process.waitUntilWritten();
      const isBusy = !this.#process.isOver && (this.#engine?.stats().pendingCommits ?? 0) > 0;
      calm = isBusy ? 0 : calm + 1;
    }
  }
}

function missingError(what: string, name: string): AppError {
  const message = `the system has no ${what} ${name}`;
  return new AppError('PATH_FAILED', { message, data: { [what]: name } });
}

/** Holds effects until the test completes them. */
class EffectGates {
  readonly #open = new Map<string, (result: EffectResult) => void>();

  /** Runs one attempt of an effect. A later attempt replaces an earlier one. */
  readonly run = (_input: never, { token }: EffectContext): Promise<unknown> =>
    new Promise((resolve, reject) => {
      this.#open.set(token, (result) => {
        if (result.ok) resolve(result.output);
        else reject(toError(result.error));
      });
    });

  /** @returns False if no attempt waits under the token. */
  complete(token: string, result: EffectResult): boolean {
    const end = this.#open.get(token);
    this.#open.delete(token);
    end?.(result);
    return end !== undefined;
  }
}

function toError(error: Extract<EffectResult, { ok: false }>['error']): Error {
  return Object.assign(new Error(error.message), error);
}
