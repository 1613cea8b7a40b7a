import type { IncomingMessage, ServerResponse } from 'node:http';

/** The ten classes of faults of agents that an audit goes through. */
export type Category =
  | 'ASI01'
  | 'ASI02'
  | 'ASI03'
  | 'ASI04'
  | 'ASI05'
  | 'ASI06'
  | 'ASI07'
  | 'ASI08'
  | 'ASI09'
  | 'ASI10';

/** Which of the seeded forms of a target is meant, and whether the fault is in it. */
export interface Variant {
  readonly seed: number;
  /** True for the twin that does the same job without the fault. */
  readonly fixed: boolean;
  /** Replaces what the target asks for by itself. */
  readonly access?: Access;
  /** Replaces single rules of the front, for tests that need another bound. */
  readonly front?: Partial<FrontRules>;
}

/** `bearer`: each request needs the token in `RunningTarget.headers`. */
export type Access = 'open' | 'bearer';

/** A server with one fault, and its twin without. */
export interface Target {
  readonly name: string;
  readonly category: Category;
  /** What is wrong, in one sentence. */
  readonly fault: string;
  /** Makes the plan of one run: state of earlier runs is not in it. */
  make(variant: Variant): TargetPlan | Promise<TargetPlan>;
}

/** What one run serves. */
export interface TargetPlan {
  readonly serverInfo: { readonly name: string; readonly title?: string; readonly version: string };
  readonly instructions?: string;
  /** Asked at each listing and each call. */
  tools(connection: Connection): readonly PlannedTool[];
  /** Tools that can be called and are listed nowhere. */
  readonly unlisted?: readonly PlannedTool[];
  readonly weakSpot: WeakSpot;
  /** What is asked of callers; `open` where nothing is said. */
  readonly access?: Access;
  readonly front?: Partial<FrontRules>;
  /** Takes a request away from the front: true where it has answered, or never will. */
  meddle?(request: IncomingMessage, response: ServerResponse, body: string): boolean;
  /** Says which loopback ports are there for the target; see `RunningTarget.admit`. */
  admit?(port: number, side: PortSide): void;
  /** Ends what the plan has opened. */
  close?(): Promise<void> | void;
}

/** A tool: its public text and what it does. */
export interface PlannedTool {
  readonly definition: ToolDefinition;
  run(values: Values, call: Call): ToolAnswer | Promise<ToolAnswer>;
}

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Readonly<Record<string, boolean | string>>;
}

/** A JSON schema, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Arguments of a call. */
export type Values = Readonly<Record<string, unknown>>;

/** What a tool answers. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError?: boolean;
  readonly structured?: Values;
  readonly meta?: Values;
}

/** Who calls, and how a tool sees that the caller gave up. */
export interface Call {
  readonly session: string;
  readonly signal: AbortSignal;
  readonly observed: Observed;
  /** Tells the caller how far the work is, where it asked for that. */
  progress(done: number, total: number): Promise<void>;
}

/** One connection (session) of a target, counted from 1. */
export interface Connection {
  readonly session: string;
  readonly ordinal: number;
  /** Calls of all connections so far. */
  readonly calls: number;
  /** Listings of all connections so far. */
  readonly listings: number;
}

/** Where the fault is, for the target's own tests and to judge whether a finding names it. */
export interface WeakSpot {
  /** The tool that has the fault; empty where the whole server has it. */
  readonly tool: string;
  /** Arguments of that tool with a payload in the weak place. */
  argumentsWith(payload: unknown): Values;
  /** A text that is seen only through the fault, or as the fault. */
  readonly marker: string;
  /** A second tool, that shows what the first one did. */
  readonly reader?: { readonly tool: string; readonly arguments: Values };
}

/** How the HTTP front behaves; what is not said keeps the safe default. */
export interface FrontRules {
  /** Whether a value of `Origin` is let in. */
  admitsOrigin(origin: string, host: string): boolean;
  /** Whether a value of `Host` is let in; `own` is the address that is listened on. */
  admitsHost(host: string, own: string, request: IncomingMessage): boolean;
  /** Whether the headers carry what `bearer` access asks for. */
  admitsCaller(request: IncomingMessage, token: string, isInitialize: boolean): boolean;
  /** Requests at once, refilled at `refillPerSecond`; above it the answer is 429. */
  readonly burstMax: number;
  readonly refillPerSecond: number;
  readonly bodyBytesMax: number;
  /** Makes the id of a new session; `asked` is what the caller sent in the header. */
  sessionId(ordinal: number, asked: string | undefined): string;
  /** Whether requests with an id that was never given are served. */
  readonly servesUnknownSessions: boolean;
  readonly checksArguments: boolean;
}

/** `public`: the port stands for a host of the internet; `internal`: for one inside. */
export type PortSide = 'public' | 'internal';

/** What a target saw, bounded in count. */
export interface Observed {
  readonly requests: readonly SeenRequest[];
  readonly calls: readonly SeenCall[];
  /** What the fault did, as `kind: detail`; empty on a twin. */
  readonly effects: readonly string[];
  noteRequest(request: SeenRequest): void;
  noteCall(call: SeenCall): void;
  noteEffect(effect: string): void;
}

/** One HTTP request. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly origin: string | undefined;
  readonly session: string | undefined;
  readonly sizeBytes: number;
}

/** One call of a tool. */
export interface SeenCall {
  readonly session: string;
  readonly tool: string;
  readonly values: Values;
}

/** A target that listens. */
export interface RunningTarget {
  readonly name: string;
  /** The MCP endpoint, streamable HTTP. */
  readonly url: string;
  /** Origin of the endpoint, without a path. */
  readonly origin: string;
  /** Headers that a rightful caller sends; empty where the target is open to all. */
  readonly headers: Readonly<Record<string, string>>;
  readonly observed: Observed;
  readonly weakSpot: WeakSpot;
  /** Serves a text below `/.well-known/`, for proof of control of the origin. */
  serveWellKnown(path: string, body: string): void;
  /**
   * Lets a target that fetches addresses really fetch a loopback port of the test. Every other
   * internal address leads to a listener that the target owns, and nothing ever goes outside.
   */
  admit(port: number, side: PortSide): void;
  close(): Promise<void>;
}
