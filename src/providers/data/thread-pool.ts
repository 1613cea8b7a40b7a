import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { startThread, type ThreadStart } from './start-thread.ts';

/** How long an idle thread is kept, in milliseconds. */
export const THREAD_IDLE_MS = 10 * SECOND_MS;
/** Tasks of one thread before it is replaced. */
export const THREAD_TASKS_MAX = 200;

/** The program of a thread pool and its limits. */
export interface ThreadPoolOptions extends ThreadStart {
  /** Source of the program. It posts one answer per message. */
  readonly program: string;
  /** Time limit of a task in milliseconds, including the start of its thread. */
  readonly timeMs: number;
  /** Most concurrent threads. */
  readonly threads: number;
  /** Most tasks in the queue. */
  readonly queueMax: number;
  /** How long an idle thread is kept, in milliseconds. Default: {@link THREAD_IDLE_MS}. */
  readonly idleMs?: number;
  /** Most tasks of one thread. Default: {@link THREAD_TASKS_MAX}. */
  readonly tasksMax?: number;
}

interface Thread {
  readonly worker: Worker;
  tasks: number;
  isBusy: boolean;
  sleep: () => void;
}

/**
 * A pool of threads for untrusted input. Threads have a memory limit and are killed with a task
 * that exceeds its time. Each runs many tasks, since starting one costs more than most tasks.
 */
export class ThreadPool {
  readonly #clock: Clock;
  readonly #rules: ThreadPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(clock: Clock, rules: ThreadPoolOptions) {
    this.#clock = clock;
    this.#rules = rules;
  }

  /** Whether the pool would reject a task now. */
  get isFull(): boolean {
    const { threads, queueMax } = this.#rules;
    return this.#running >= threads && this.#queue.length >= queueMax;
  }

  /** Number of running threads, busy or idle. */
  get size(): number {
    return this.#threads.size;
  }

  /** @returns The program's answer, or `undefined` if its thread crashed or ran out of time. */
  async run(message: unknown): Promise<unknown> {
    if (this.#running >= this.#rules.threads) {
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
    this.#running += 1;
    try {
      return await this.#runInThread(message);
    } finally {
      this.#running -= 1;
      this.#queue.shift()?.();
    }
  }

  async #runInThread(message: unknown): Promise<unknown> {
    const thread = this.#acquireThread();
    thread.isBusy = true;
    thread.tasks += 1;
    const answer = await this.#awaitAnswer(thread, message);
    thread.isBusy = false;
    const tasksMax = this.#rules.tasksMax ?? THREAD_TASKS_MAX;
    if (answer === undefined || thread.tasks >= tasksMax) await this.#stopThread(thread);
    else this.#scheduleStop(thread);
    return answer;
  }

  #acquireThread(): Thread {
    const found = [...this.#threads].find(({ isBusy }) => !isBusy);
    found?.sleep();
    return found ?? this.#start();
  }

  #start(): Thread {
    const worker = startThread(this.#rules);
    // The process may exit with an idle thread. Failures are reported through the answer.
    worker.unref();
    worker.on('error', () => undefined);
    const thread = { worker, tasks: 0, isBusy: false, sleep: () => undefined };
    this.#threads.add(thread);
    worker.once('exit', () => this.#threads.delete(thread));
    return thread;
  }

  #scheduleStop(thread: Thread): void {
    const idleMs = this.#rules.idleMs ?? THREAD_IDLE_MS;
    thread.sleep = this.#clock.at(this.#clock.now() + idleMs, () => {
      if (!thread.isBusy) void this.#stopThread(thread);
    });
  }

  async #stopThread(thread: Thread): Promise<void> {
    this.#threads.delete(thread);
    thread.sleep();
    await thread.worker.terminate();
  }

  #awaitAnswer({ worker }: Thread, message: unknown): Promise<unknown> {
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
