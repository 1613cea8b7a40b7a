import type { Clock } from '../../../domain/common/clock.ts';
import type { Random } from '../../../domain/common/random.ts';
import type {
  McpEventLog,
  McpOpenCalls,
  McpSessionRow,
  McpSessionStore,
} from '../../../domain/session/mcp-state.ts';
import { isLoopback } from '../../http/address.ts';
import { type FrontLimits, SWEEP_MS, TOUCH_MS } from '../limits.ts';
import { FOLLOWED_MAX } from '../tasks/follower.ts';
import { McpSession } from './session.ts';

/** Random bytes in a session id. */
const ID_BYTES = 18;
/** Hexadecimal digits of the leading timestamp, in milliseconds. */
const ID_TIME_DIGITS = 11;

/** The initial fields of a session. */
export type NewSession = Omit<McpSessionRow, 'sessionId' | 'createdAt' | 'lastSeenAt'>;

/** The dependencies of the table. */
export interface SessionTableDeps {
  readonly store: McpSessionStore;
  readonly events: McpEventLog;
  readonly openCalls: McpOpenCalls;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: FrontLimits;
}

/** The sessions of all endpoints: their rows in the store, and their live state in memory. */
export class SessionTable {
  private readonly deps: SessionTableDeps;
  private readonly live = new Map<string, McpSession>();
  private readonly perPrincipal = new Map<string, number>();
  private cancelSweep: (() => void) | undefined;

  constructor(setup: SessionTableDeps) {
    this.deps = setup;
  }

  /** Starts a session. Returns `undefined` at the limit in total or for this principal. */
  create(initial: NewSession): McpSession | undefined {
    const { store, clock, random, limits } = this.deps;
    if (store.count() >= limits.sessionsMax) return undefined;
    const count = this.perPrincipal.get(initial.principal) ?? 0;
    const isBounded = !isLoopback(initial.principal);
    if (isBounded && count >= limits.sessionsPerPrincipalMax) return undefined;
    const at = clock.now();
    const sessionId = newSessionId(at, random);
    // This order gives all rows one V8 shape. An object literal that starts with a spread gets its
    // own.
    const session = new McpSession({ sessionId, createdAt: at, lastSeenAt: at, ...initial });
    store.put(session.row);
    this.register(session);
    if (this.cancelSweep === undefined) this.armSweep();
    return session;
  }

  /** Finds a session of an endpoint, even from before a restart, and updates its last use. */
  find(sessionId: string, endpoint: string): McpSession | undefined {
    const session = this.live.get(sessionId) ?? this.restore(sessionId);
    if (session === undefined || session.row.endpoint !== endpoint) return undefined;
    const at = this.deps.clock.now();
    if (at - session.row.lastSeenAt >= TOUCH_MS) this.touch(session, at);
    return session;
  }

  /** Records a task that the session started. Keeps the newest 100. */
  recordTask(session: McpSession, taskId: string): void {
    const others = (session.row.tasks ?? []).filter((known) => known !== taskId);
    session.row = { ...session.row, tasks: [...others, taskId].slice(-FOLLOWED_MAX) };
    this.deps.store.put(session.row);
  }

  /** Records the workspace selected in a session. */
  recordWorkspace(session: McpSession, workspaceId: string): void {
    session.row = { ...session.row, workspaceId };
    this.deps.store.put(session.row);
  }

  /** Ends a session and everything that belongs to it. */
  remove(session: McpSession): void {
    const { sessionId } = session.row;
    this.deps.store.delete(sessionId);
    this.release(session);
  }

  /** Creates a stream id. It must be unique beyond restarts, as events are. */
  streamId(): string {
    return Buffer.from(this.deps.random.bytes(8)).toString('hex');
  }

  /** Releases the standalone streams, so that their clients reconnect elsewhere or later. */
  releaseStandalone(): void {
    for (const session of this.live.values()) session.standalone?.release();
  }

  /**
   * Releases calls that wait for jobs. The next start answers those with a stream; the others
   * return the current job state.
   */
  suspendJobCalls(): void {
    for (const session of this.live.values()) {
      for (const call of session.openCalls.filter(({ isJob }) => isJob === true)) {
        if (call.suspend?.() !== true) call.handleCallerGone();
      }
    }
  }

  /** Ends every stream and call, and keeps the rows for the next start. */
  stop(): void {
    this.cancelSweep?.();
    this.cancelSweep = undefined;
    for (const session of this.live.values()) endSession(session);
    this.live.clear();
    this.perPrincipal.clear();
  }

  private register(session: McpSession): void {
    const { principal, sessionId } = session.row;
    this.live.set(sessionId, session);
    this.perPrincipal.set(principal, (this.perPrincipal.get(principal) ?? 0) + 1);
  }

  private restore(sessionId: string): McpSession | undefined {
    const row = this.deps.store.get(sessionId);
    if (row === undefined) return undefined;
    const session = new McpSession(row);
    this.register(session);
    if (this.cancelSweep === undefined) this.armSweep();
    return session;
  }

  private touch(session: McpSession, at: number): void {
    session.row = { ...session.row, lastSeenAt: at };
    this.deps.store.put(session.row);
  }

  private release(session: McpSession): void {
    const { sessionId, principal } = session.row;
    if (this.live.delete(sessionId)) {
      const left = (this.perPrincipal.get(principal) ?? 1) - 1;
      if (left > 0) this.perPrincipal.set(principal, left);
      else this.perPrincipal.delete(principal);
      endSession(session);
    }
    this.forget(sessionId);
  }

  private forget(sessionId: string): void {
    this.deps.events.dropSession(sessionId);
    this.deps.openCalls.dropSession(sessionId);
  }

  private armSweep(): void {
    const { clock } = this.deps;
    this.cancelSweep = clock.at(clock.now() + SWEEP_MS, () => {
      this.cancelSweep = undefined;
      this.sweep(clock.now());
      if (this.deps.store.count() > 0) this.armSweep();
    });
  }

  private sweep(at: number): void {
    for (const session of this.live.values()) {
      if (session.isBusy) this.touch(session, at);
    }
    for (const sessionId of this.deps.store.expire(at - this.deps.limits.sessionIdleMs)) {
      const session = this.live.get(sessionId);
      if (session === undefined) this.forget(sessionId);
      else this.release(session);
    }
  }
}

/**
 * Creates an unguessable id. The leading timestamp puts rows of sessions that started together on
 * the same pages of the store. With random ids, each row occupied its own page.
 */
function newSessionId(at: number, random: Random): string {
  const time = Math.floor(at).toString(16).padStart(ID_TIME_DIGITS, '0');
  const secret = Buffer.from(random.bytes(ID_BYTES)).toString('base64url');
  // One flat string, because it lives as long as the session.
  return Buffer.from(time + secret, 'latin1').toString('latin1');
}

function endSession(session: McpSession): void {
  for (const call of [...session.openCalls]) {
    if (call.suspend?.() === true) continue;
    // Not answered: if it has a stream, the next start reports it.
    session.detach(call);
    call.handleCallerGone();
  }
  session.standalone?.end();
  session.sdk?.end();
  session.follower?.stop();
}
