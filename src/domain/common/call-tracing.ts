/** Makes spans of tool calls. */
export interface CallTracing {
  /**
   * Begins the span of a call, as a child of what the caller's `traceparent` names.
   *
   * @param tool - A name of the catalog; `undefined` for one that the caller made up.
   */
  beginCall(call: {
    readonly server: string;
    readonly tool: string | undefined;
    readonly traceparent: string | undefined;
  }): CallSpan;
}

/** The span of one call. */
export interface CallSpan {
  /** Its `traceparent`: what is begun by the call belongs to it. */
  readonly trace: string;
  /** Ends it. `error` is a code of the error table, where the call has failed. */
  end(outcome: CallOutcome, error?: string): void;
}

/** How a call ended, as far as a trace tells. */
export type CallOutcome =
  | 'answered'
  | 'tool_error'
  | 'payment_required'
  | 'unknown_tool'
  | 'failed';
