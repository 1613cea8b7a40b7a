import type { Awaitable } from '../load/awaitable.ts';
import { chain } from '../load/awaitable.ts';
import type { EngineObserver } from '../view/observer.ts';
import { EngineError } from './error.ts';
import type { EngineStore, Write } from './ports.ts';

/**
 * Maximum events in one commit. Smaller commits let the disk write some events while the next are
 * computed. With many callers this gains more than having fewer commits.
 */
export const GROUP_MAX = 32;

/** The part of a store that a committer uses. */
export type CommitStore = Pick<EngineStore, 'commit' | 'lastGlobalSeq'>;

/** A party that waits for a commit. */
export interface CommitWaiter {
  /** Called when the writes are on disk. */
  done(): void;
  /** Called when the writes cannot reach the disk. */
  failed(error: EngineError): void;
}

/**
 * Batches the writes of one turn of the event loop into as few commits as useful. Notifies the
 * waiters in submission order. After the first failure nothing more is written.
 */
export class Committer {
  readonly #store: CommitStore;
  readonly #onFatal: (error: EngineError) => void;
  readonly #observer: EngineObserver | undefined;
  readonly #groups: CommitGroup[] = [];
  #openGroup: CommitGroup | undefined;
  #failure: EngineError | undefined;
  #idleWaiters: (() => void)[] = [];
  #globalSeq = 0;
  #pending = 0;
  /** Resolves when the last `globalSeq` of the store is read. */
  readonly opening: Awaitable<void>;

  constructor(
    store: CommitStore,
    onFatal: (error: EngineError) => void,
    observer?: EngineObserver,
  ) {
    this.#store = store;
    this.#observer = observer;
    this.#onFatal = onFatal;
    this.opening = chain(store.lastGlobalSeq(), (last) => {
      this.#globalSeq = last;
    });
  }

  /** Number of events that are not on disk yet. */
  get pending(): number {
    return this.#pending;
  }

  get globalSeq(): number {
    return this.#globalSeq;
  }

  /** Set once a commit has failed. The engine cannot continue after that. */
  get failure(): EngineError | undefined {
    return this.#failure;
  }

  /** Assigns the next `globalSeq` to a row. */
  assignGlobalSeq(): void {
    this.#globalSeq += 1;
  }

  /** Adds writes to a commit of this turn. They are written all or none. */
  submit(writes: readonly Write[], waiting: CommitWaiter): void {
    if (this.#failure !== undefined) {
      waiting.failed(this.#failure);
      return;
    }
    if (this.#openGroup === undefined) {
      const openedAt = this.#observer?.now() ?? 0;
      this.#openGroup = { writes: [], waiting: [], written: false, openedAt };
      queueMicrotask(() => this.#flush());
    }
    for (const write of writes) this.#openGroup.writes.push(write);
    this.#openGroup.waiting.push(waiting);
    this.#pending += 1;
    if (this.#openGroup.waiting.length >= GROUP_MAX) this.#flush();
  }

  /** Resolves when everything submitted so far is on disk. */
  settled(): Promise<void> {
    const group = this.#openGroup ?? this.#groups.at(-1);
    if (group === undefined) return Promise.resolve();
    this.#pending += 1;
    return new Promise((done, failed) => group.waiting.push({ done, failed }));
  }

  /** Resolves when no commit is pending. */
  async idle(): Promise<void> {
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  #flush(): void {
    const group = this.#openGroup;
    if (group === undefined) return;
    this.#openGroup = undefined;
    if (this.#failure !== undefined) {
      this.#pending -= group.waiting.length;
      for (const waiting of group.waiting) waiting.failed(this.#failure);
      return;
    }
    this.#groups.push(group);
    this.#store.commit(group.writes).then(
      () => this.#settle(group),
      (cause: unknown) => this.fail(cause),
    );
  }

  #settle(group: CommitGroup): void {
    group.written = true;
    // A later commit can finish before an earlier one; waiters are still notified in order.
    while (this.#groups[0]?.written === true) {
      const { waiting, openedAt } = this.#groups.shift() as CommitGroup;
      this.#pending -= waiting.length;
      this.#observer?.committed(this.#observer.now() - openedAt);
      for (const each of waiting) each.done();
    }
    this.#notifyIdle();
  }

  /** Fails all that waits and all that is submitted later; then calls `onFatal`, once. */
  fail(cause: unknown): void {
    if (this.#failure !== undefined) return;
    const failure =
      cause instanceof EngineError
        ? cause
        : new EngineError('STORE_FAILED', 'The store could not write a commit.', { cause });
    this.#failure = failure;
    const waiters = this.#groups.splice(0).flatMap((group) => group.waiting);
    this.#pending -= waiters.length;
    for (const waiting of waiters) waiting.failed(failure);
    this.#notifyIdle();
    this.#onFatal(failure);
  }

  #notifyIdle(): void {
    if (this.#pending > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}

interface CommitGroup {
  readonly writes: Write[];
  readonly waiting: CommitWaiter[];
  written: boolean;
  readonly openedAt: number;
}
