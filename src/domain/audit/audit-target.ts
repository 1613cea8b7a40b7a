import type { TargetAddress } from './records.ts';

/** Traffic limits of one audit. Everything sent or received counts. */
export interface TargetLimits {
  /** Number of requests, including connections. */
  readonly requestsMax: number;
  /** Bytes in both directions. */
  readonly bytesMax: number;
  /** Milliseconds since the target was opened. */
  readonly totalMs: number;
}

/** Traffic used so far. */
export interface TargetSpending {
  readonly requests: number;
  readonly bytes: number;
  readonly ms: number;
}

/** Options for opening a target. */
export interface OpenTarget {
  readonly limits: TargetLimits;
  /**
   * Address from an earlier opening in the same audit; only this address is contacted. If absent,
   * the name is resolved once and the address is pinned.
   */
  readonly pinnedAddress?: string;
  /** Aborts the current request and rejects all later ones. */
  readonly signal?: AbortSignal;
  /** Loopback origins that a sandboxed program may reach. Default: none. */
  readonly listeners?: readonly string[];
  /** Seed for the canary values in the environment of a child process. */
  readonly canarySeed: string;
  /** Credentials of the target's owner, sent with every HTTP request. Never stored. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of one call. */
export interface CallOptions {
  /** Milliseconds to wait for the response; default 10 s. */
  readonly deadlineMs?: number;
  /** Requests progress under this token. */
  readonly progressToken?: string;
  /** Stops waiting and closes the response stream without notifying the target. */
  readonly signal?: AbortSignal;
}

/**
 * Outcome of one JSON-RPC request. Failures are values, not exceptions, because the audit examines
 * them. `raw` holds at most 1 MB of the response.
 */
export type RpcOutcome = {
  readonly ms: number;
  readonly raw: string;
  /** The request as text. */
  readonly sent: string;
} & (
  | { readonly kind: 'result'; readonly result: unknown }
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    }
  /** An HTTP response without a JSON-RPC message. */
  | { readonly kind: 'refused'; readonly status: number }
  /** No response before the deadline. */
  | { readonly kind: 'silent' }
  /** The connection closed or the response is not readable. */
  | { readonly kind: 'broken'; readonly reason: string }
);

/** Self-description of a target from `initialize`. */
export interface Greeting {
  readonly protocolVersion: string;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | null;
}

/** Options for a connection. */
export interface ConnectOptions {
  /** HTTP headers of every request; `host` and `origin` may be foreign. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Omits the credentials of {@link OpenTarget}. */
  readonly isAnonymous?: boolean;
  /** Reuses this session instead of starting one; `initialize` is not sent. */
  readonly sessionId?: string;
  readonly deadlineMs?: number;
}

/** One connection: a session over HTTP, or a dedicated process over stdio. */
export interface TargetConnection {
  /** `null` over stdio, or if the target does not issue one. */
  readonly sessionId: string | null;
  /** Result of `initialize`; empty for a reused session. */
  readonly greeting: Greeting;
  request(method: string, params?: unknown, options?: CallOptions): Promise<RpcOutcome>;
  notify(method: string, params?: unknown): Promise<void>;
  /** Messages received without a request, such as progress, oldest first; at most 200. */
  unsolicitedMessages(): readonly unknown[];
  /** Closes the session and its transport. Idempotent. */
  close(): Promise<void>;
}

/** One HTTP request to the target's address, sent exactly as given. */
export interface RawExchange {
  readonly method: string;
  /** Path and query on the target's origin. Default: the target's own URL. */
  readonly path?: string;
  /** Sent unchanged; `host` may be foreign. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadlineMs?: number;
  /** Maximum number of response bytes to read; default 1 MB. */
  readonly answerBytesMax?: number;
}

/** Outcome of a raw exchange. */
export type RawResponse = { readonly ms: number; readonly sent: string } & (
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      /** True if the response was longer than the bytes that were read. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'silent' }
  | { readonly kind: 'broken'; readonly reason: string }
);

/**
 * An open target.
 *
 * In addition to the documented errors, every method that sends throws `AUDIT_BUDGET` if a limit is
 * reached and `AUDIT_STOPPED` after the signal or `close`.
 */
export interface AuditTarget {
  readonly address: TargetAddress;
  /** `https://host:port` for HTTP targets, `stdio:<name>` for others. */
  readonly origin: string;
  /** IP address in use; `null` for stdio. */
  readonly pinnedAddress: string | null;
  /** True if the target was opened with its owner's credentials. */
  readonly hasCredentials: boolean;
  /**
   * Opens a new connection.
   *
   * @throws {AppError} `AUDIT_TARGET_DOWN` if the target does not respond or violates the protocol.
   */
  connect(options?: ConnectOptions): Promise<TargetConnection>;
  /** HTTP targets only; `undefined` for others. */
  readonly exchange: ((request: RawExchange) => Promise<RawResponse>) | undefined;
  spent(): TargetSpending;
  /** Closes all connections and processes. Resolves when none is left running. */
  close(): Promise<void>;
}

/** A listener on this host that records whether a target requested a URL. */
export interface CanaryListener {
  /** Origins it listens on, as `http://127.0.0.1:port`. */
  readonly origins: readonly string[];
  /** Returns a URL that nothing else requests, unique per `label`. */
  url(label: string): string;
  /** Returns a URL on another port that redirects to {@link url}. */
  redirect(label: string): string;
  /** Returns the number of requests to {@link url}. */
  countHits(label: string): number;
  close(): Promise<void>;
}

/** Opens targets. Audits reach their targets only through this interface. */
export interface AuditTargets {
  /**
   * @throws {AppError} `EGRESS_BLOCKED` for internal and malformed addresses, `AUDIT_TARGET_DOWN`
   * if the name does not resolve, `AUDIT_TARGET_UNKNOWN` for a command that the operator does not
   * allow, `NOT_CONFIGURED` for one that cannot run in a sandbox on this machine.
   */
  open(address: TargetAddress, how: OpenTarget): Promise<AuditTarget>;
  /**
   * Rejects a target that cannot be opened, without contacting it. Call it before charging.
   *
   * @throws {AppError} `AUDIT_TARGET_UNKNOWN` for a command that the operator does not allow;
   * `NOT_CONFIGURED` for one that cannot run in a sandbox on this machine.
   */
  requireOpenable(address: TargetAddress): void;
  /**
   * Starts a listener that a target can reach, or returns `undefined` if it cannot reach one. The
   * listener is on loopback: programs reach it; other targets only if the operator allows internal
   * targets.
   */
  listen(address: TargetAddress): Promise<CanaryListener | undefined>;
}
