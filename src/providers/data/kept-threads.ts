import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { startThread, type ThreadStart } from './start-thread.ts';

/** How long a thread without work is kept, in milliseconds. */
export const THREAD_IDLE_MS = 10 * SECOND_MS;
/** Tasks that one thread does before another takes its place. */
export const THREAD_TASKS_MAX = 200;

/** What threads run, and within which bounds. */
export interface ThreadRules extends ThreadStart {
  /** Text of the program; it posts one answer for each message. */
  readonly program: string;
  /** Milliseconds for one task, the start of its thread included. */
  readonly timeMs: number;
  /** Threads at once. */
  readonly threads: number;
  /** Tasks that wait for a thread at the most. */
  readonly waitingMax: number;
  /** How long a thread without work is kept, in milliseconds; {@link THREAD_IDLE_MS} by default. */
  readonly idleMs?: number;
  /** Tasks that one thread does at the most; {@link THREAD_TASKS_MAX} by default. */
  readonly tasksMax?: number;
}

interface Thread {
  readonly worker: Worker;
  tasks: number;
  isBusy: boolean;
  sleep: () => void;
}

/**
 * Threads for what strangers wrote: bounded in memory, killed with the task that takes too long. A
 * thread does many tasks, since its start costs more than most of them.
 */
export class KeptThreads {
  readonly #clock: Clock;
  readonly #rules: ThreadRules;
  readonly #threads = new Set<Thread>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(clock: Clock, rules: ThreadRules) {
    this.#clock = clock;
    this.#rules = rules;
  }

  /** Whether a task would be one too many now. */
  get isFull(): boolean {
    const { threads, waitingMax } = this.#rules;
    return this.#running >= threads && this.#waiting.length >= waitingMax;
  }

  /** Threads that are there now, at work or not. */
  get count(): number {
    return this.#threads.size;
  }

  /** @returns What the program answers; `undefined` when its thread died or the time was up. */
  async ask(message: unknown): Promise<unknown> {
    if (this.#running >= this.#rules.threads) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    try {
      return await this.#inThread(message);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #inThread(message: unknown): Promise<unknown> {
    const thread = this.#awake();
    thread.isBusy = true;
    thread.tasks += 1;
    const said = await this.#answerOf(thread, message);
    thread.isBusy = false;
    const tasksMax = this.#rules.tasksMax ?? THREAD_TASKS_MAX;
    if (said === undefined || thread.tasks >= tasksMax) await this.#end(thread);
    else this.#letSleep(thread);
    return said;
  }

  #awake(): Thread {
    const found = [...this.#threads].find(({ isBusy }) => !isBusy);
    found?.sleep();
    return found ?? this.#start();
  }

  #start(): Thread {
    const worker = startThread(this.#rules);
    // Nobody waits for a thread without work, and one that fails is told of by its answer.
    worker.unref();
    worker.on('error', () => undefined);
    const thread = { worker, tasks: 0, isBusy: false, sleep: () => undefined };
    this.#threads.add(thread);
    worker.once('exit', () => this.#threads.delete(thread));
    return thread;
  }

  #letSleep(thread: Thread): void {
    const idleMs = this.#rules.idleMs ?? THREAD_IDLE_MS;
    thread.sleep = this.#clock.at(this.#clock.now() + idleMs, () => {
      if (!thread.isBusy) void this.#end(thread);
    });
  }

  async #end(thread: Thread): Promise<void> {
    this.#threads.delete(thread);
    thread.sleep();
    await thread.worker.terminate();
  }

  #answerOf({ worker }: Thread, message: unknown): Promise<unknown> {
    return new Promise((resolve) => {
      const end = (said: unknown) => {
        off();
        worker.off('message', end);
        worker.off('exit', none);
        worker.unref();
        resolve(said);
      };
      const none = () => end(undefined);
      const off = this.#clock.at(this.#clock.now() + this.#rules.timeMs, none);
      worker.ref();
      worker.once('message', end);
      worker.once('exit', none);
      worker.postMessage(message);
    });
  }
}
