import type { TargetAddress } from './records.ts';

/** What an audit may spend on its target; everything that is sent or read counts. */
export interface TargetLimits {
  /** Requests, connections included. */
  readonly requestsMax: number;
  /** Bytes in both directions. */
  readonly bytesMax: number;
  /** Milliseconds from the opening of the target. */
  readonly totalMs: number;
}

/** What has been spent. */
export interface TargetSpending {
  readonly requests: number;
  readonly bytes: number;
  readonly ms: number;
}

/** How a target is opened. */
export interface OpenTarget {
  readonly limits: TargetLimits;
  /**
   * The address of an earlier opening of the same audit: nothing else is connected to. Without it
   * the name is resolved once, and that address is kept.
   */
  readonly pinnedAddress?: string;
  /** Ends what is under way and everything after it. */
  readonly signal?: AbortSignal;
  /** Origins of listeners on loopback that a program in a sandbox reaches; otherwise none. */
  readonly listeners?: readonly string[];
  /** Seeds the canary values in the surroundings of a child process. */
  readonly canarySeed: string;
  /** Credentials that the owner of the target gave, sent with every HTTP request. Kept nowhere. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of one call. */
export interface CallOptions {
  /** Milliseconds to wait for the answer; default 10 s. */
  readonly deadlineMs?: number;
  /** Asks for progress under this token. */
  readonly progressToken?: string;
  /** Gives up waiting, and closes what carries the answer; tells the target nothing. */
  readonly signal?: AbortSignal;
}

/**
 * What came of one JSON-RPC request. A value, never a throw: what a target does is what is looked
 * at. `raw` is what was read, at most 1 MB.
 */
export type RpcOutcome = {
  readonly ms: number;
  readonly raw: string;
  /** What was sent, as text. */
  readonly sent: string;
} & (
  | { readonly kind: 'result'; readonly result: unknown }
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    }
  /** An HTTP answer without a JSON-RPC message in it. */
  | { readonly kind: 'refused'; readonly status: number }
  /** No answer before the deadline. */
  | { readonly kind: 'silent' }
  /** The connection ended, or what came cannot be read. */
  | { readonly kind: 'broken'; readonly reason: string }
);

/** What a target said of itself when a connection began. */
export interface Greeting {
  readonly protocolVersion: string;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | null;
}

/** How a connection is begun. */
export interface ConnectOptions {
  /** HTTP headers of every request of the connection; `host` and `origin` may be foreign. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Leaves out the credentials of {@link OpenTarget}. */
  readonly isAnonymous?: boolean;
  /** Uses this session instead of beginning one: no `initialize` is sent. */
  readonly sessionId?: string;
  readonly deadlineMs?: number;
}

/** One connection: a session over HTTP, or a process of its own over stdio. */
export interface TargetConnection {
  /** `null` where the target gives none, and over stdio. */
  readonly sessionId: string | null;
  /** What `initialize` was answered with; of an adopted session it is empty. */
  readonly greeting: Greeting;
  request(method: string, params?: unknown, options?: CallOptions): Promise<RpcOutcome>;
  notify(method: string, params?: unknown): Promise<void>;
  /** Messages that came unasked, such as progress, oldest first; at most 200 are kept. */
  unasked(): readonly unknown[];
  /** Ends the session and what carries it; safe to repeat. */
  close(): Promise<void>;
}

/** One HTTP request to the target's address, written as given. */
export interface RawExchange {
  readonly method: string;
  /** Path and query on the target's origin; its own address when absent. */
  readonly path?: string;
  /** Sent as they are; `host` may be foreign. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadlineMs?: number;
  /** Bytes of the answer that are read; default 1 MB. */
  readonly answerBytesMax?: number;
}

/** What came of a raw exchange. */
export type RawAnswer = { readonly ms: number; readonly sent: string } & (
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      /** True when more came than was read. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'silent' }
  | { readonly kind: 'broken'; readonly reason: string }
);

/**
 * An opened target. Beside what the members say, all that send throw `AUDIT_BUDGET` when a limit is
 * reached, `AUDIT_STOPPED` when the signal or `close` ended it.
 */
export interface AuditTarget {
  readonly address: TargetAddress;
  /** `https://host:port` of HTTP targets, `stdio:<name>` of the others. */
  readonly origin: string;
  /** The IP address that is connected to; `null` for stdio. */
  readonly pinnedAddress: string | null;
  /** True when it was opened with credentials of its owner. */
  readonly hasCredentials: boolean;
  /**
   * Begins a fresh connection.
   *
   * @throws {AppError} `AUDIT_TARGET_DOWN` when it does not answer, or not in the protocol.
   */
  connect(options?: ConnectOptions): Promise<TargetConnection>;
  /** HTTP targets only: `undefined` for others. */
  readonly exchange: ((request: RawExchange) => Promise<RawAnswer>) | undefined;
  spent(): TargetSpending;
  /** Ends all connections and processes; resolves when nothing is left running. */
  close(): Promise<void>;
}

/** A listener of our own that tells whether a target followed an address. */
export interface CanaryListener {
  /** Where it listens, as `http://127.0.0.1:port`. */
  readonly origins: readonly string[];
  /** An address that nothing else asks for; `label` tells it from others. */
  url(label: string): string;
  /** An address on another port that leads on to {@link url}. */
  redirect(label: string): string;
  /** How often the address of {@link url} was asked for. */
  hits(label: string): number;
  close(): Promise<void>;
}

/** Opens targets: the only way from an audit to what is audited. */
export interface AuditTargets {
  /**
   * @throws {AppError} `EGRESS_BLOCKED` for internal and malformed addresses,
   * `AUDIT_TARGET_DOWN` when the name does not resolve, `AUDIT_TARGET_UNKNOWN` for a command that
   * the operator does not allow; `NOT_CONFIGURED` for one that the machine cannot run in a sandbox.
   */
  open(address: TargetAddress, how: OpenTarget): Promise<AuditTarget>;
  /**
   * Refuses a target that could not be opened, without asking it anything: call it before money
   * moves.
   *
   * @throws {AppError} `AUDIT_TARGET_UNKNOWN` for a command that the operator does not allow;
   * `NOT_CONFIGURED` for one that the machine cannot run in a sandbox.
   */
  refuseClosed(address: TargetAddress): void;
  /**
   * A listener that a target may reach; `undefined` where there is none that it could. It stands on
   * loopback: programs reach it, others only when the operator allows internal targets.
   */
  listen(address: TargetAddress): Promise<CanaryListener | undefined>;
}
