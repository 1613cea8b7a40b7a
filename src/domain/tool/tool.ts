import type { z } from 'zod';
import type { JsonObject } from '../common/json.ts';
import type { MicroUsdText } from '../common/money.ts';
import type { JobState, Jobs } from '../job/job.ts';
import type { PaymentFlow, PaymentRequired, SettlementResponse } from '../payment/payment.ts';

/** The two tool servers. */
export type ToolServer = 'commerce' | 'hosting';

/** The four hints of MCP. Each is stated for every tool. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** One content block of a tool result. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
    };

/** What a tool call answers (MCP `CallToolResult`). The first line of the text is the answer. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** How far a call has come. `progress` only grows. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  /** One short line, at most 200 characters. */
  readonly message: string;
}

/** Who calls: a proven wallet, a token of the operator's, else the remote address. */
export interface Principal {
  readonly kind: 'wallet' | 'address' | 'local' | 'token';
  readonly id: string;
}

/** What a caller's token allows. What is absent is not narrowed; no grant at all allows all. */
export interface Grant {
  /** Public id of the token. */
  readonly tokenId: string;
  /** The only workspace whose resources are reached. */
  readonly workspaceId?: string;
  /** The only groups of tools that are served, beside `core`. */
  readonly toolsets?: readonly string[];
  /** Only tools that change nothing. */
  readonly isReadOnly?: boolean;
}

/** What a session keeps for the tools that are called in it. It ends with the session. */
export interface ToolSession {
  /** The workspace that was selected in this session. */
  readonly workspaceId: string | undefined;
  /** The workspace that the same caller has selected last, also in a session that has ended. */
  readonly lastWorkspaceId: string | undefined;
  selectWorkspace(workspaceId: string): void;
}

/** What a running tool is given beside its input. */
export interface ToolContext {
  readonly principal: Principal;
  /** The id of the payment that paid for this call; `undefined` on free tools. */
  readonly paymentId?: string;
  /** The wallet that pays for this call, in lower case; `undefined` on free tools. */
  readonly payer?: string;
  /** The job that was created for this call, on tools that run as jobs. */
  readonly jobId?: string;
  /** Absent where the carrier knows no sessions. */
  readonly session?: ToolSession | undefined;
  readonly grant?: Grant | undefined;
  /** Aborts when the caller is gone or cancels. Paid work must not end because of it. */
  readonly signal: AbortSignal;
  progress(step: Progress): void;
}

/** Who orders a job, and the payment that decides about it. */
export interface Orderer {
  readonly principal: Principal;
  readonly paymentId: string;
  /** The wallet that pays. Its signature is checked before any money moves, after the order. */
  readonly payer: string;
}

/** The actor that a job tool runs as; created in the same breath in which its payment settles. */
export interface JobOrder {
  readonly kind: string;
  /** Plain JSON, at most a few KB: big texts go to the blob store by hash. */
  readonly input: JsonObject;
  /** Gives back what the order holds. Called when its payment comes to nothing. */
  release?(): void;
}

/** A tool, as the catalog lists it. `defineTool` makes one. */
export interface Tool<In = unknown> {
  readonly server: ToolServer;
  /** Wire name, exactly as the specification writes it; equals the file's stem. */
  readonly name: string;
  readonly title: string;
  /** One paragraph for the model that chooses tools. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType;
  readonly price?: { readonly amount: MicroUsdText; readonly flow: PaymentFlow };
  /** What a cancel gives back, stated on the challenge of job tools. */
  readonly cancelTerms?: string;
  /**
   * Checks before any payment is asked: `NOT_CONFIGURED`, `INPUT_INVALID` beyond the schema.
   *
   * @returns Facts for the challenge, such as panel mode and families.
   */
  ready?(input: In): JsonObject | undefined;
  /**
   * Parameters that change nothing of the work, such as how long the caller waits for it: calls
   * that differ only in them are one call, which is paid for once.
   */
  readonly waits?: readonly string[];
  /** Parameters whose values no error repeats, because they may be secret. */
  readonly hides?: readonly string[];
  /** What is said of parameters that callers know from elsewhere and that there are not here. */
  readonly unsupported?: Readonly<Record<string, string>>;
  /** Job tools: what to run once the money is there. */
  order?(input: In, by: Orderer): Promise<JobOrder>;
  /**
   * Does the work, or on job tools waits for the job and words its state. It is paid for afterwards
   * on inline tools, so it writes nothing that outlives an answer which nobody pays for.
   */
  run(input: In, context: ToolContext): Promise<ToolResult>;
  /**
   * Inline tools: writes what the call leaves behind, such as a seal or an alert, once its payment
   * has settled, and completes the result of `run`. Called for every repeat of the call, with the
   * same result: it does its work once per payment.
   */
  finish?(input: In, context: ToolContext, result: ToolResult): Promise<ToolResult>;
}

/** A payment as it came in: raw JSON of the payload, or base64 of it from the header. */
export type PresentedPayment =
  | { readonly carrier: 'header'; readonly value: string }
  | { readonly carrier: 'meta'; readonly value: unknown };

/** A tool call, free of any protocol. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  /** All payments that were presented; more than one is refused. */
  readonly payments: readonly PresentedPayment[];
  /** The address that the challenge names as resource. */
  readonly resourceUrl: string;
  /** Attribution tag of the caller (`?src=`); recorded, without effect. */
  readonly src?: string;
  /** Job tools answer as soon as their job stands, and do not wait for its end. */
  readonly asTask?: boolean;
  /** The trace that the caller says it belongs to. */
  readonly traceparent?: string;
  /** The trace that what is begun here belongs to; set where traces are made. */
  readonly trace?: string;
  readonly principal: Principal;
  /** Absent where the carrier knows no sessions. */
  readonly session?: ToolSession | undefined;
  readonly grant?: Grant | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (step: Progress) => void;
}

/** What becomes of a tool call. */
export type ToolOutcome =
  | {
      readonly kind: 'result';
      readonly result: ToolResult;
      readonly settlement?: SettlementResponse;
      /** The job that was begun, where the call asked for it as a task. */
      readonly job?: JobState;
    }
  | {
      readonly kind: 'payment_required';
      readonly required: PaymentRequired;
      /** Status of the error row: 402, 400 malformed, 409 conflict, 202 pending (sent as 200). */
      readonly status: number;
      readonly settlement?: SettlementResponse;
    }
  | {
      readonly kind: 'unknown_tool';
      readonly name: string;
      /** Why a tool that exists is not served here. */
      readonly hint?: string;
    };

/** One row of `tools/list`, ready to be sent. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly _meta?: JsonObject;
}

/** A readable thing under a capability, such as a panel's transcript. */
export interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

/** The jobs of a tool server, and the names of the tools that order them. */
export interface ServedJobs extends Jobs {
  readonly toolNames: ReadonlySet<string>;
}

/** A tool server without a transport: the catalog, ready to be listed and called. */
export interface ToolService {
  readonly server: ToolServer;
  readonly title: string;
  readonly version: string;
  /** For the model: what this server is for and how to begin. */
  readonly instructions: string;
  /** What is listed now; another array once that has changed. */
  readonly tools: readonly ListedTool[];
  /** Also what is not offered now, because its control is not LIVE. Absent: the same. */
  readonly known?: readonly ListedTool[];
  /** `{"tools":[…]}` as it goes on the wire; made once for each listing. */
  readonly listJson: string;
  call(call: ToolCall): Promise<ToolOutcome>;
  /** Absent where no tool runs as a job. */
  readonly jobs?: ServedJobs;
  readonly resourceTemplates: readonly {
    readonly uriTemplate: string;
    readonly name: string;
    readonly description: string;
    readonly mimeType: string;
  }[];
  /** @returns `undefined` when the address names nothing, which includes a wrong capability. */
  readResource(uri: string): Promise<ResourceContent | undefined>;
}
