import pLimit, { type LimitFunction } from 'p-limit';
import { Piscina } from 'piscina';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { findWorker } from '../../system/find-worker.ts';
import { reportThreadCrash } from '../../system/thread-crashes.ts';

/** How long idle threads are kept, in milliseconds. */
export const THREAD_IDLE_MS = 10 * SECOND_MS;
/** Tasks of a pool before all its threads are replaced. */
export const THREAD_TASKS_MAX = 200;
const STACK_MB = 4;
const CRASH_NAME = 'a reader of untrusted text';

/** A function of a worker module. It returns its answer, and never throws for bad input. */
export interface WorkerProgram {
  /** Path of the module below `src`, such as `providers/page/extract-worker.mjs`. */
  readonly module: string;
  readonly name: string;
}

/** The program of a thread pool and its limits. */
export interface ThreadPoolOptions {
  readonly program: WorkerProgram;
  /** Memory limit of a thread, in MB. */
  readonly memoryMb: number;
  /** Time limit of a task in milliseconds, including the start of its thread. */
  readonly timeMs: number;
  /** Most concurrent threads. */
  readonly threads: number;
  /** Most tasks in the queue. */
  readonly queueMax: number;
  /** How long idle threads are kept, in milliseconds. Default: {@link THREAD_IDLE_MS}. */
  readonly idleMs?: number;
  /** Most tasks before the threads are replaced. Default: {@link THREAD_TASKS_MAX}. */
  readonly tasksMax?: number;
}

/** The outcome of a task. `why` says what ended its thread. */
export type ThreadResult =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly why: 'time' | 'crash' };

/** Threads that end together, and their tasks so far and now. */
interface Generation {
  readonly threads: Piscina;
  tasks: number;
  running: number;
}

/**
 * A pool of threads for untrusted input. Threads have a memory limit, no access to this process's
 * environment, and are killed with a task that exceeds its time. Each runs many tasks, since
 * starting one costs more than most tasks. The queue is here and not in `piscina`, because the time
 * of a task starts with its thread; so are idle time and age, because they follow the clock.
 */
export class ThreadPool {
  readonly #clock: Clock;
  readonly #options: ThreadPoolOptions;
  readonly #limit: LimitFunction;
  #current: Generation | undefined;
  #cancelEnd: () => void = () => undefined;

  constructor(clock: Clock, options: ThreadPoolOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#limit = pLimit(options.threads);
  }

  /** Whether the queue has no room for a task now. */
  get isFull(): boolean {
    const { threads, queueMax } = this.#options;
    return this.#limit.activeCount + this.#limit.pendingCount >= threads + queueMax;
  }

  /** Number of running threads, busy or idle. */
  get size(): number {
    return this.#current?.threads.threads.length ?? 0;
  }

  /** Runs a task in a thread. Never throws for a thread that crashed or ran out of time. */
  run(task: unknown): Promise<ThreadResult> {
    return this.#limit(() => this.#runInGeneration(task));
  }

  async #runInGeneration(task: unknown): Promise<ThreadResult> {
    this.#cancelEnd();
    this.#current ??= { threads: this.#open(), tasks: 0, running: 0 };
    const generation = this.#current;
    generation.tasks += 1;
    generation.running += 1;
    const { tasksMax = THREAD_TASKS_MAX } = this.#options;
    if (generation.tasks >= tasksMax) this.#current = undefined;
    const result = await this.#runInThread(generation.threads, task);
    generation.running -= 1;
    // The thread may have hung before it took the task.
    if (!result.ok && generation === this.#current) this.#current = undefined;
    if (generation.running === 0) await this.#endOrKeep(generation);
    return result;
  }

  async #runInThread(threads: Piscina, task: unknown): Promise<ThreadResult> {
    const abortController = new AbortController();
    const { signal } = abortController;
    const endAt = this.#clock.now() + this.#options.timeMs;
    const off = this.#clock.at(endAt, () => abortController.abort());
    try {
      return { ok: true, answer: await threads.run(task, { signal }) };
    } catch (thrown) {
      if (signal.aborted) return { ok: false, why: 'time' };
      reportThreadCrash(CRASH_NAME, thrown);
      return { ok: false, why: 'crash' };
    } finally {
      off();
    }
  }

  /** Ends idle threads: at once if newer ones have replaced them, else after their idle time. */
  async #endOrKeep(generation: Generation): Promise<void> {
    if (generation !== this.#current) {
      await generation.threads.destroy();
      return;
    }
    const { idleMs = THREAD_IDLE_MS } = this.#options;
    this.#cancelEnd = this.#clock.at(this.#clock.now() + idleMs, () => {
      this.#current = undefined;
      void generation.threads.destroy();
    });
  }

  #open(): Piscina {
    const { program, memoryMb, threads } = this.#options;
    const opened = new Piscina({
      filename: findWorker(program.module),
      name: program.name,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: STACK_MB },
    });
    // A thread failed without a task. The time limit ends the tasks that wait for it.
    opened.on('error', (thrown) => reportThreadCrash(CRASH_NAME, thrown));
    return opened;
  }
}
