/** Creates spans for tool calls. */
export interface CallTracing {
  /**
   * Starts the span of a call as a child of the caller's `traceparent`.
   *
   * @param call.tool - Name in the catalog; `undefined` for an unknown tool.
   */
  startCall(call: {
    readonly server: string;
    readonly tool: string | undefined;
    readonly traceparent: string | undefined;
  }): CallSpan;
}

/** The span of one tool call. */
export interface CallSpan {
  /** `traceparent` of the span; parent of everything that the call starts. */
  readonly trace: string;
  /** Ends the span. `error` is a code of the error table if the call failed. */
  end(outcome: TracedOutcome, error?: string): void;
}

/** Outcome of a call, as recorded in a trace. */
export type TracedOutcome =
  | 'answered'
  | 'tool_error'
  | 'payment_required'
  | 'unknown_tool'
  | 'failed';
