import type { Progress } from '../../domain/tool/tool.ts';
import type { ActorEngine, JournalEntry, View } from '../../runtime/engine/types.ts';
import { ProgressReporter, type ProgressReporterDeps } from './progress-reporter.ts';

/** Options for waiting for a job. */
export interface JobWaitOptions extends ProgressReporterDeps {
  /** Milliseconds; 0 returns immediately. */
  readonly waitMs: number;
  /** Ends the wait, not the job. */
  readonly signal: AbortSignal;
}

/** Access to a job that is waited for. */
export interface AwaitedJob<V> {
  /** Reads the current state of the job. */
  view(): Promise<V>;
  /** Describes the current progress of the job. */
  stepOf(view: V): Progress;
}

/** Callbacks during the wait. */
export interface WaitCallbacks {
  /**
   * Called for each journal row committed from now on.
   *
   * @returns Whether the wait is over.
   */
  onEntry(entry: JournalEntry): Promise<boolean>;
  /** Called with messages of the job between its rows. */
  onMessage?(text: string): void;
  /** Called once when the wait is over. */
  onEnd(): void;
}

/**
 * Waits until a job ends or the wait is over, then returns its state. Reports progress at once, on
 * every row, and after each `HEARTBEAT_MS` of silence.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForEnd<V extends Pick<View, 'id' | 'seq' | 'status'>>(
  engine: ActorEngine,
  { view, stepOf }: AwaitedJob<V>,
  o: JobWaitOptions,
): Promise<V> {
  const first = await view();
  if (first.status !== 'active' || isImmediate(o)) return first;
  const reporter = new ProgressReporter(o);
  reporter.reportStep(stepOf(first));
  await waitUntilOver(engine, first, o, {
    onEntry: async () => {
      const now = await view();
      reporter.reportStep(stepOf(now));
      return now.status !== 'active';
    },
    onMessage: (text) => reporter.reportMessage(text),
    onEnd: () => reporter.close(),
  });
  return await view();
}

/** Returns whether the caller wants an immediate answer. */
export function isImmediate({ waitMs, signal }: JobWaitOptions): boolean {
  return waitMs <= 0 || signal.aborted;
}

/** Waits until an entry ends the wait, a callback fails, the time is up, or the caller aborts. */
export async function waitUntilOver(
  engine: ActorEngine,
  { id, seq }: Pick<View, 'id' | 'seq'>,
  { waitMs, clock, signal }: JobWaitOptions,
  { onEntry, onMessage, onEnd }: WaitCallbacks,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const cleanups: (() => void)[] = [];
    const finish = () => {
      for (const end of cleanups.splice(0)) end();
      resolve();
    };
    cleanups.push(
      engine.watch(id, seq + 1, (entry) => {
        void onEntry(entry).then((isOver) => isOver && finish(), finish);
      }),
      engine.watchShown(id, ({ text }) => {
        if (typeof text === 'string') onMessage?.(text);
      }),
      clock.at(clock.now() + waitMs, finish),
      onEnd,
    );
    signal.addEventListener('abort', finish, { once: true });
    cleanups.push(() => signal.removeEventListener('abort', finish));
  });
}
