import type { AnyStateMachine } from 'xstate';
import { AppError } from '../../domain/common/error.ts';
import { define } from '../../runtime/engine/define.ts';
import { createEngine, type EngineOptions } from '../../runtime/engine/engine.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import type { EngineStore, Write } from '../../runtime/engine/ports.ts';
import { type ActorEngine, LATER } from '../../runtime/engine/types.ts';
import { memoryStore } from '../../runtime/store/memory-store.ts';
import { SimulatedClock } from '../../runtime/timer/clock.ts';
import type { EngineDriverOptions } from '../engine-driver.ts';
import { MODEL_START_MS } from '../model.ts';
import { SimulatedProcess } from '../simulated-process.ts';
import type {
  ClientCall,
  ClientEvent,
  ConcurrentDriver,
  ConcurrentStart,
} from './concurrent-driver.ts';
import type { ModelAnswer } from './linearize.ts';

/**
 * Runs several clients on a durable engine. The run decides when each commit starts and ends.
 * Effects start and never end. `answerOfEngine` is the answer of the machine.
 */
export function concurrentEngineDriver(options: EngineDriverOptions): ConcurrentDriver {
  const world = new SharedEngine(options);
  return {
    start: (start) => world.start(start),
    send: (call) => world.send(call),
    read: (call) => world.read(call),
    killAndRestart: () => world.killAndRestart(),
    close: () => world.close(),
  };
}

/** The answer of an engine to an event: state and status after it, or that the actor has ended. */
export function answerOfEngine({ before, after }: ModelAnswer): unknown {
  return before.status === 'active' ? { value: after.value, status: after.status } : CLOSED;
}

const CLOSED = 'ACTOR_CLOSED';

class SharedEngine {
  readonly #options: EngineDriverOptions;
  readonly #clock = new SimulatedClock(MODEL_START_MS);
  #process = new SimulatedProcess();
  #store: EngineStore | undefined;
  #engine: ActorEngine | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #pause: ConcurrentStart['pause'] = async () => undefined;

  constructor(options: EngineDriverOptions) {
    this.#options = options;
  }

  async start({ actors, input, pause }: ConcurrentStart): Promise<void> {
    this.#pause = pause;
    await this.#boot();
    for (const actor of actors) await this.#running.create(this.#machine.id, actor, input);
  }

  async send({ actor, event, key }: ClientEvent): Promise<unknown> {
    try {
      const { value, status } = await this.#running.tell(actor, event, { idempotencyKey: key });
      return { value, status };
    } catch (thrown) {
      if (!(thrown instanceof EngineError && thrown.code === 'ACTOR_CLOSED')) throw thrown;
      return CLOSED;
    }
  }

  async read({ actor }: ClientCall) {
    const { value, status, context, timers } = await this.#running.view(actor);
    return { value, status, context, timers: timers.map(({ timerId }) => timerId) };
  }

  async killAndRestart(): Promise<void> {
    this.#process.kill();
    await this.#writing;
    if (this.#options.openStore !== undefined) await this.#store?.close();
    await this.#boot();
  }

  async close(): Promise<void> {
    if (this.#engine !== undefined && !this.#process.isOver) await this.#engine.close();
    this.#process.kill();
    await this.#store?.close();
  }

  get #machine(): AnyStateMachine {
    return this.#options.machine;
  }

  get #running(): ActorEngine {
    if (this.#engine !== undefined) return this.#engine;
    throw new AppError('PATH_FAILED', { message: 'the driver was not started' });
  }

  async #boot(): Promise<void> {
    const { openStore = () => this.#store ?? memoryStore() } = this.#options;
    const { startEngine = createEngine } = this.#options;
    const names = Object.keys(this.#machine.implementations.actors);
    const effects = Object.fromEntries(names.map((name) => [name, { run: async () => LATER }]));
    const options: Pick<EngineOptions, 'definitions'> = {
      definitions: [
        define({
          kind: this.#machine.id,
          version: 1,
          machine: this.#machine,
          effects: effects as never,
        }),
      ],
    };
    this.#process = new SimulatedProcess();
    this.#store = await openStore();
    this.#engine = await startEngine({
      ...options,
      store: this.#process.wrapStore(this.#pauseCommits(this.#store), () => undefined),
      clock: this.#process.wrapClock(this.#clock),
    });
  }

  #pauseCommits(store: EngineStore): EngineStore {
    let last: Promise<unknown> = Promise.resolve();
    const write = async (writes: readonly Write[]): Promise<void> => {
      await this.#pause('commit');
      const writing = store.commit(writes);
      this.#writing = writing.catch(() => undefined);
      await writing;
    };
    const commit = async (writes: readonly Write[]): Promise<void> => {
      // A store keeps the order of its commits.
      const written = last.then(() => write(writes));
      last = written.catch(() => undefined);
      await written;
      await this.#pause('committed');
    };
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'commit') return commit;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }
}
