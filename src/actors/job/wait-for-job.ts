import type { Progress } from '../../domain/tool/tool.ts';
import type { ActorEngine, JournalEntry, View } from '../../runtime/engine/types.ts';
import { HeartbeatLine, type LineParts } from './heartbeat-line.ts';

/** Options for waiting for a job. */
export interface JobWait extends LineParts {
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
export interface OnTheWay {
  /**
   * Called for each journal row committed from now on.
   *
   * @returns Whether the wait is over.
   */
  look(entry: JournalEntry): Promise<boolean>;
  /** Called with messages of the job between its rows. */
  show?(text: string): void;
  /** Called once when the wait is over. */
  close(): void;
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
  o: JobWait,
): Promise<V> {
  const first = await view();
  if (first.status !== 'active' || isNoWait(o)) return first;
  const line = new HeartbeatLine(o);
  line.tell(stepOf(first));
  await waitUntilOver(engine, first, o, {
    look: async () => {
      const now = await view();
      line.tell(stepOf(now));
      return now.status !== 'active';
    },
    show: (text) => line.show(text),
    close: () => line.close(),
  });
  return await view();
}

/** Returns whether the caller wants an immediate answer. */
export function isNoWait({ waitMs, signal }: JobWait): boolean {
  return waitMs <= 0 || signal.aborted;
}

/** Waits until an entry ends the wait, a callback fails, the time is up, or the caller aborts. */
export async function waitUntilOver(
  engine: ActorEngine,
  { id, seq }: Pick<View, 'id' | 'seq'>,
  { waitMs, clock, signal }: JobWait,
  { look, show, close }: OnTheWay,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const endings: (() => void)[] = [];
    const finish = () => {
      for (const end of endings.splice(0)) end();
      resolve();
    };
    endings.push(
      engine.watch(id, seq + 1, (entry) => {
        void look(entry).then((isOver) => isOver && finish(), finish);
      }),
      engine.watchShown(id, ({ text }) => {
        if (typeof text === 'string') show?.(text);
      }),
      clock.at(clock.now() + waitMs, finish),
      close,
    );
    signal.addEventListener('abort', finish, { once: true });
    endings.push(() => signal.removeEventListener('abort', finish));
  });
}
