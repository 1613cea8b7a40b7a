import type { A2aItem, PushOrder } from './wire.ts';

/** Most push notification configurations of one task. */
export const TASK_PUSHES_MAX = 5;
/** Most push notification configurations in total. */
export const PUSHES_MAX = 10_000;

/** A push notification configuration as it is shown: without its secrets. */
export interface PushView {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
  readonly authentication?: { readonly scheme: string };
}

/** A stored configuration. */
export interface PushRow extends PushView {
  /** The secret headers, sealed. */
  readonly sealed: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Configurations that survive a restart. A write resolves when it is on disk. */
export interface PushStore {
  get(taskId: string, id: string): PushRow | undefined;
  /** Returns the configurations of a task, by id. */
  list(taskId: string): readonly PushRow[];
  /** Returns all configurations. */
  all(): readonly PushRow[];
  count(): number;
  put(row: PushRow): Promise<void>;
  remove(rows: readonly Pick<PushRow, 'taskId' | 'id'>[]): Promise<void>;
}

/** Push notifications of tasks. */
export interface PushNotifications {
  /**
   * Stores a configuration after its address has accepted the current item. The same id replaces
   * the earlier configuration.
   *
   * @throws {AppError} `EGRESS_…` if the address is not public or does not accept the item,
   *   `RATE_LIMITED`, `OVERLOADED`.
   */
  add(taskId: string, order: PushOrder, current: A2aItem): Promise<PushView>;
  get(taskId: string, id: string): PushView | undefined;
  list(taskId: string): readonly PushView[];
  /** Removes a configuration, if it exists. */
  remove(taskId: string, id: string): Promise<void>;
  /** Removes all configurations of a task that was never paid. */
  removeAll(taskId: string): Promise<void>;
  /** Notifies of the job of this task from now on. */
  follow(taskId: string): void;
}
