import type {
  AuditTarget,
  AuditTargets,
  CallOptions,
  ConnectOptions,
  Greeting,
  OpenTarget,
  RpcOutcome,
  TargetConnection,
} from '../../src/domain/audit/audit-target.ts';
import type { TargetAddress } from '../../src/domain/audit/records.ts';
import { AppError } from '../../src/domain/common/error.ts';
import { NO_GREETING } from '../../src/providers/target/messages.ts';
import { SpendingBudget } from '../../src/providers/target/spending-budget.ts';

/** A connection to a target in memory, counted from 1. */
export interface MemorySession {
  readonly id: string;
  readonly ordinal: number;
}

/** The answer of a target in memory to one request. */
export type MemoryAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: number }
  | 'silent'
  | 'broken';

/** A target in memory. */
export interface MemoryServer {
  readonly greeting?: Partial<Greeting>;
  answer(method: string, params: unknown, session: MemorySession): MemoryAnswer;
}

/** Longest wait for a silent answer in milliseconds, whatever the caller's deadline. */
const SILENCE_MS_MAX = 20;

/** Creates audit targets in memory, by URL or name, for tests of the port's users. */
export function createMemoryTargets(servers: Readonly<Record<string, MemoryServer>>): AuditTargets {
  return {
    open: async (address, how) => new MemoryTarget(address, how, findServer(servers, address)),
    requireOpenable: (address) => {
      if (address.kind === 'mcp_stdio') findServer(servers, address);
    },
    listen: async () => undefined,
  };
}

function findServer(
  servers: Readonly<Record<string, MemoryServer>>,
  address: TargetAddress,
): MemoryServer {
  const key = address.kind === 'mcp_stdio' ? address.name : address.url;
  const server = servers[key];
  if (server !== undefined) return server;
  const code = address.kind === 'mcp_stdio' ? 'AUDIT_TARGET_UNKNOWN' : 'AUDIT_TARGET_DOWN';
  throw new AppError(code, { data: { received: key, allowed: Object.keys(servers) } });
}

class MemoryTarget implements AuditTarget {
  readonly address: TargetAddress;
  readonly origin: string;
  readonly pinnedAddress: string | null;
  readonly hasCredentials: boolean;
  readonly exchange = undefined;
  readonly #server: MemoryServer;
  readonly #spending: SpendingBudget;
  #connections = 0;

  constructor(address: TargetAddress, how: OpenTarget, server: MemoryServer) {
    const isStdio = address.kind === 'mcp_stdio';
    this.address = address;
    this.origin = isStdio ? `stdio:${address.name}` : new URL(address.url).origin;
    this.pinnedAddress = isStdio ? null : (how.pinnedAddress ?? '192.0.2.1');
    this.hasCredentials = how.headers !== undefined;
    this.#server = server;
    this.#spending = new SpendingBudget(how.limits, how.signal);
  }

  async connect(options: ConnectOptions = {}): Promise<TargetConnection> {
    this.#connections += 1;
    const ordinal = this.#connections;
    const isStdio = this.address.kind === 'mcp_stdio';
    const id = options.sessionId ?? `memory-session-${ordinal}`;
    const session: MemorySession = { id, ordinal };
    const connection = new MemoryConnection(this.#server, this.#spending, session);
    if (options.sessionId === undefined) {
      const outcome = await connection.request('initialize', {});
      if (outcome.kind !== 'result') {
        const status = outcome.kind === 'refused' ? { status: outcome.status } : {};
        throw new AppError('AUDIT_TARGET_DOWN', { data: { outcome: outcome.kind, ...status } });
      }
      connection.greeting = { ...NO_GREETING, ...this.#server.greeting };
    }
    connection.sessionId = isStdio ? null : id;
    return connection;
  }

  spent() {
    return this.#spending.spent();
  }

  async close(): Promise<void> {
    this.#spending.stop();
  }
}

class MemoryConnection implements TargetConnection {
  readonly #server: MemoryServer;
  readonly #spending: SpendingBudget;
  readonly #session: MemorySession;
  #isClosed = false;
  sessionId: string | null = null;
  greeting: Greeting = NO_GREETING;

  constructor(server: MemoryServer, spending: SpendingBudget, session: MemorySession) {
    this.#server = server;
    this.#spending = spending;
    this.#session = session;
  }

  async request(method: string, params?: unknown, options: CallOptions = {}): Promise<RpcOutcome> {
    const sent = JSON.stringify({ method, params });
    const waitMs = this.#spending.reserveRequest(sent.length, options.deadlineMs);
    if (this.#isClosed) return { kind: 'broken', reason: 'closed', ms: 0, raw: '', sent };
    const answer =
      method === 'initialize' && this.#server.greeting !== undefined
        ? { result: this.#server.greeting }
        : this.#server.answer(method, params, this.#session);
    const raw = typeof answer === 'string' ? '' : JSON.stringify(answer);
    this.#spending.addBytes(raw.length);
    const facts = { ms: 0, raw, sent };
    if (answer === 'silent') {
      const ms = Math.min(waitMs, SILENCE_MS_MAX);
      await new Promise((resolve) => setTimeout(resolve, ms));
      this.#spending.requireRunning();
      return { kind: 'silent', ...facts, ms };
    }
    if (answer === 'broken') return { kind: 'broken', reason: 'cut', ...facts };
    if ('result' in answer) return { kind: 'result', result: answer.result, ...facts };
    if ('error' in answer) return { kind: 'error', ...answer.error, ...facts };
    return { kind: 'refused', status: answer.status, ...facts };
  }

  async notify(method: string, params?: unknown): Promise<void> {
    this.#spending.reserveRequest(JSON.stringify({ method, params }).length);
  }

  unsolicitedMessages(): readonly unknown[] {
    return [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }
}
