import type { z } from 'zod';
import type { JsonObject } from '../common/json.ts';
import type { MicroUsdText } from '../common/money.ts';
import type { JobState, Jobs } from '../job/job.ts';
import type {
  PaymentFlow,
  PaymentRequired,
  PaymentRequirements,
  SettlementResponse,
} from '../payment/payment.ts';
import type { SignedIn } from '../wallet/sign-in.ts';
import type { CarriedCall } from './search-mode.ts';
import type { ToolResult } from './tool-result.ts';

/** The two tool servers. */
export type ToolServer = 'commerce' | 'hosting';

/** The four MCP annotations. Every tool states all of them. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Progress of a call. `progress` never decreases. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  /** A short line of at most 200 characters. */
  readonly message: string;
}

/** The caller: a proven wallet, an operator token, or else the remote address. */
export interface Principal {
  readonly kind: 'wallet' | 'address' | 'local' | 'token';
  readonly id: string;
}

/**
 * Permissions of a caller's token. An absent field restricts nothing; no grant allows everything.
 */
export interface Grant {
  /** Public id of the token. */
  readonly tokenId: string;
  /** The only accessible workspace. */
  readonly workspaceId?: string;
  /** The only available tool groups, besides `core`. */
  readonly toolsets?: readonly string[];
  /** Restricts the token to read-only tools. */
  readonly isReadOnly?: boolean;
}

/** Session state for tools. It ends with the session. */
export interface ToolSession {
  /** The workspace selected in this session. */
  readonly workspaceId: string | undefined;
  /** The workspace that the same caller selected last, possibly in an earlier session. */
  readonly lastWorkspaceId: string | undefined;
  selectWorkspace(workspaceId: string): void;
}

/** Context of a running tool. */
export interface ToolContext {
  readonly principal: Principal;
  /** Id of the payment for this call; `undefined` for free tools. */
  readonly paymentId?: string;
  /** Paying wallet in lower case; `undefined` for free tools. */
  readonly payer?: string;
  /** Price of this call; `undefined` for free tools. */
  readonly price?: MicroUsdText | undefined;
  /** Origin at which the caller reaches this server; `undefined` without one. */
  readonly origin?: string | undefined;
  /** Job created for this call, for tools that run as jobs. */
  readonly jobId?: string;
  /** Absent if the transport has no sessions. */
  readonly session?: ToolSession | undefined;
  readonly grant?: Grant | undefined;
  /** Aborts when the caller disconnects or cancels. Paid work must continue. */
  readonly signal: AbortSignal;
  progress(step: Progress): void;
}

/** The orderer of a job, and the deciding payment. */
export interface JobBuyer {
  readonly principal: Principal;
  readonly paymentId: string;
  /** The paying wallet. Its signature is checked after the order, before any money moves. */
  readonly payer: string;
}

/** The actor of a job tool. It is created in the commit in which its payment settles. */
export interface JobOrder {
  readonly kind: string;
  /** Plain JSON of at most a few KB; large texts are in the blob store by hash. */
  readonly input: JsonObject;
  /** Releases what the order has reserved. Called if the payment fails. */
  release?(): void;
}

/** A tool in the catalog. Create it with `defineTool`. */
export interface Tool<In = unknown> {
  readonly server: ToolServer;
  /** Wire name exactly as in the specification; equals the stem of the file. */
  readonly name: string;
  readonly title: string;
  /** One paragraph: the documentation of the tool. */
  readonly description: string;
  /**
   * What a listing says instead, for the model that chooses tools: what it gets, which tool is
   * better for what, limits and refund. Price and example follow by themselves.
   */
  readonly summary?: string;
  /** Arguments of a typical call. */
  readonly example?: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType;
  readonly price?: { readonly amount: MicroUsdText; readonly flow: PaymentFlow };
  /** Refund terms of a cancellation, stated in the challenge of job tools. */
  readonly cancelTerms?: string;
  /**
   * Checks a call before payment: `NOT_CONFIGURED`, `INPUT_INVALID` beyond the schema.
   *
   * @returns Facts for the challenge, such as panel mode and families.
   */
  checkReady?(input: In): JsonObject | undefined;
  /**
   * Parameters that do not affect the work, such as the wait time. Calls that differ only in them
   * are one call and are paid once.
   */
  readonly waitParameters?: readonly string[];
  /** Parameters whose values are secret and never repeated in errors. */
  readonly hides?: readonly string[];
  /** Explanations for parameters that callers know from other APIs but that do not exist here. */
  readonly unsupported?: Readonly<Record<string, string>>;
  /** Job tools: returns the actor to run after payment. */
  order?(input: In, by: JobBuyer): Promise<JobOrder>;
  /**
   * Does the work, or for job tools waits for the job and formats its state. Inline tools are paid
   * afterwards, so they must not store anything that outlives an unpaid answer.
   */
  run(input: In, context: ToolContext): Promise<ToolResult>;
  /**
   * Inline tools: stores the lasting effects of a call, such as a seal or an alert, after its
   * payment settled, and completes the result of `run`. Called with the same result for every
   * repeat, so it must be idempotent per payment.
   */
  finish?(input: In, context: ToolContext, result: ToolResult): Promise<ToolResult>;
}

/** A received payment: raw JSON of the payload, or its base64 from the header. */
export type PresentedPayment =
  | { readonly carrier: 'header'; readonly value: string }
  | { readonly carrier: 'meta'; readonly value: unknown };

/** A protocol-independent tool call. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  /** All presented payments. More than one is rejected. */
  readonly payments: readonly PresentedPayment[];
  /** The URL that the challenge names as resource. */
  readonly resourceUrl: string;
  /** Attribution tag of the caller (`?src=`); recorded, without effect. */
  readonly src?: string;
  /** Whether a job tool returns once its job exists, without waiting for its end. */
  readonly asTask?: boolean;
  /** Id of the job that this call orders, if it was promised before. Never used for two calls. */
  readonly jobId?: string;
  /** The caller's trace. */
  readonly traceparent?: string;
  /** The trace of work started by this call; set if tracing is enabled. */
  readonly trace?: string;
  readonly principal: Principal;
  /** Absent if the transport has no sessions. */
  readonly session?: ToolSession | undefined;
  readonly grant?: Grant | undefined;
  /** The wallet that signed in, to get again what it has bought. */
  readonly signedIn?: SignedIn;
  readonly signal: AbortSignal;
  readonly onProgress?: (step: Progress) => void;
}

/** Outcome of a tool call. */
export type ToolOutcome =
  | {
      readonly kind: 'result';
      readonly result: ToolResult;
      readonly settlement?: SettlementResponse;
      /** The started job, if the call requested a task. */
      readonly job?: JobState;
    }
  | {
      readonly kind: 'payment_required';
      readonly required: PaymentRequired;
      /** Status of the error: 402, 400 malformed, 409 conflict, 202 pending (sent as 200). */
      readonly status: number;
      readonly settlement?: SettlementResponse;
    }
  | {
      readonly kind: 'unknown_tool';
      readonly name: string;
      /** Why an existing tool is not available here. */
      readonly hint?: string;
    };

/** A tool in full: its documentation, and the schemas that its calls and results are checked by. */
export interface ToolDetails {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The short description, with the price. */
  readonly summary: string;
  readonly example?: JsonObject;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /** How a call can be paid. Empty for a free tool. */
  readonly accepts: readonly PaymentRequirements[];
}

/** An entry of `tools/list`. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly _meta?: JsonObject;
}

/** A resource that a capability grants access to, such as a panel's transcript. */
export interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
  readonly _meta?: JsonObject;
}

/** The jobs of a tool server, and the names of the tools that order them. */
export interface ServedJobs extends Jobs {
  readonly toolNames: ReadonlySet<string>;
  /** Returns the settlement of a job's payment; `undefined` without one. */
  settlementOf(jobId: string): Promise<SettlementResponse | undefined>;
  /** Returns whether these payments were accepted earlier and order the job of this id. */
  isOrderOf(jobId: string, payments: readonly PresentedPayment[]): Promise<boolean>;
}

/** A tool server without transport: the catalog, ready to be listed and called. */
export interface ToolService {
  readonly server: ToolServer;
  readonly title: string;
  readonly version: string;
  /** Instructions for the model: purpose of this server and first steps. */
  readonly instructions: string;
  /** Currently listed tools; a new array after each change. */
  readonly tools: readonly ListedTool[];
  /** All tools that can be named in a call, listed or not. If absent, the same as `tools`. */
  readonly allTools?: readonly ListedTool[];
  /** Returns a tool in full, listed or not, or `undefined` for an unknown name. */
  describe(name: string): ToolDetails | undefined;
  /** Returns the names of the tools, listed or not, that fit a request in words, best first. */
  rank(request: string): Promise<readonly string[]>;
  /** Search mode: returns the call that `call_tool` carries. Transports do this before all else. */
  unwrap?(tool: unknown, input: unknown): CarriedCall | undefined;
  /** `{"tools":[…]}` as sent on the wire; created once per listing. */
  readonly listJson: string;
  call(call: ToolCall): Promise<ToolOutcome>;
  /** Absent if no tool runs as a job. */
  readonly jobs?: ServedJobs;
  readonly resourceTemplates: readonly {
    readonly uriTemplate: string;
    readonly name: string;
    readonly description: string;
    readonly mimeType: string;
  }[];
  /** Resources with a fixed address. */
  readonly resources?: readonly {
    readonly uri: string;
    readonly name: string;
    readonly description: string;
    readonly mimeType: string;
  }[];
  /** @returns `undefined` for an unknown address or a wrong capability. */
  readResource(uri: string): Promise<ResourceContent | undefined>;
}
