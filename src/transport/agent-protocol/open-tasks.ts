import type { A2aTask } from '../../domain/agent-protocol/wire.ts';
import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';

/** How long an unpaid task, or a finished one that is no job, can be named, in milliseconds. */
export const OPEN_TASK_MS = 15 * MINUTE_MS;
/** Most open tasks, and their size in bytes: per network, and in total. */
export const OPEN_TASKS_MAX = {
  network: { count: 64, bytes: 4_194_304 },
  total: { count: 4_096, bytes: 67_108_864 },
} as const;

/** The call that a task pays for. */
export interface OfferedCall {
  readonly skill: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A task that is not a job (yet): an offer, or the outcome of a quick skill. */
export interface OpenTask {
  readonly taskId: string;
  readonly network: string;
  readonly call: OfferedCall;
  readonly expiresAt: number;
  /** Size of what is kept. */
  bytes: number;
  /** The task as it was last shown. */
  shown: A2aTask;
  /**
   * Key of the only payment that may still pay for this task: it is being processed, it may still
   * settle, or it has settled.
   */
  paidBy?: string;
}

/**
 * The tasks without a job, in bounded memory. The job of a paid task has its id, so nothing here
 * must outlive the process. A new task of a network may push out its oldest ones.
 */
export class OpenTasks {
  readonly #tasks = new Map<string, OpenTask>();
  #bytes = 0;

  /** The number of tasks. */
  get size(): number {
    return this.#tasks.size;
  }

  /**
   * Adds a task.
   *
   * @throws {AppError} `OVERLOADED` if all networks together have too many.
   */
  add(task: OpenTask, now: number): void {
    this.#expire(now);
    this.#makeRoom(task);
    const { count, bytes } = OPEN_TASKS_MAX.total;
    if (this.#tasks.size >= count || this.#bytes + task.bytes > bytes) {
      throw new AppError('OVERLOADED', {
        message: 'Too many unpaid tasks are open. Nothing was accepted; retry later.',
        data: { received: this.#tasks.size, allowed: count },
      });
    }
    this.#tasks.set(task.taskId, task);
    this.#bytes += task.bytes;
  }

  /** Returns a task that has not expired. */
  find(taskId: string, now: number): OpenTask | undefined {
    this.#expire(now);
    return this.#tasks.get(taskId);
  }

  /** Replaces what is shown of a task by its final state. */
  finish(task: OpenTask, shown: A2aTask): void {
    const bytes = Buffer.byteLength(JSON.stringify(shown));
    if (this.#tasks.has(task.taskId)) this.#bytes += bytes - task.bytes;
    Object.assign(task, { shown, bytes });
  }

  /** Removes a task, because its job answers for it. */
  remove(taskId: string): void {
    const task = this.#tasks.get(taskId);
    if (task === undefined) return;
    this.#tasks.delete(taskId);
    this.#bytes -= task.bytes;
  }

  /** All tasks live equally long, so the oldest expire first. */
  #expire(now: number): void {
    for (const { taskId, expiresAt } of this.#tasks.values()) {
      if (expiresAt > now) return;
      this.remove(taskId);
    }
  }

  #makeRoom({ network, bytes: wanted }: OpenTask): void {
    const own = [...this.#tasks.values()].filter((each) => each.network === network);
    const { count, bytes } = OPEN_TASKS_MAX.network;
    let sum = own.reduce((total, each) => total + each.bytes, wanted);
    let left = own.length;
    for (const each of own) {
      if (left < count && sum <= bytes) return;
      this.remove(each.taskId);
      left -= 1;
      sum -= each.bytes;
    }
  }
}
