import type { CallTracing, TracedOutcome } from '../../domain/common/call-tracing.ts';
import { toAppError } from '../../domain/common/error.ts';
import type { Progress, ToolCall, ToolOutcome, ToolService } from '../../domain/tool/tool.ts';

/**
 * Runs around every call of a tool server: passes the call to `next`, or answers it.
 *
 * @param service - The server that is called, for its name and its tools.
 */
export type ToolInterceptor = (
  call: ToolCall,
  next: ToolService['call'],
  service: ToolService,
) => Promise<ToolOutcome>;

/** Returns a tool server with interceptors, the first one outermost. Its tool list stays live. */
export function interceptCalls(
  service: ToolService,
  interceptors: readonly ToolInterceptor[],
): ToolService {
  const call = interceptors.reduceRight<ToolService['call']>(
    (next, intercept) => (each) => intercept(each, next, service),
    (each) => service.call(each),
  );
  return {
    ...service,
    get tools() {
      return service.tools;
    },
    get listJson() {
      return service.listJson;
    },
    call,
  };
}

/** Creates an interceptor that calls `onCall` with the tool’s name before each call. */
export function watchCalls(onCall: (name: () => string) => void): ToolInterceptor {
  return (call, next) => {
    onCall(() => call.name);
    return next(call);
  };
}

/** Creates an interceptor with a trace span per call. Spans contain neither input nor result. */
export function traceCalls(tracing: CallTracing): ToolInterceptor {
  return async (call, next, { server, tools, allTools = tools }) => {
    const { name, traceparent } = call;
    const tool = allTools.find((each) => each.name === name)?.name;
    const span = tracing.startCall({ server, tool, traceparent });
    try {
      const outcome = await next(new TracedCall(call, span.trace));
      span.end(toCallOutcome(outcome));
      return outcome;
    } catch (thrown) {
      span.end('failed', toAppError(thrown).code);
      throw thrown;
    }
  };
}

function toCallOutcome(outcome: ToolOutcome): TracedOutcome {
  if (outcome.kind !== 'result') return outcome.kind;
  return outcome.result.isError === true ? 'tool_error' : 'answered';
}

/** A call with a trace id. Getters delegate, because the wrapped call can compute them lazily. */
class TracedCall implements ToolCall {
  readonly trace: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly payments: ToolCall['payments'];
  readonly resourceUrl: string;
  readonly principal: ToolCall['principal'];
  declare readonly src?: string;
  declare readonly asTask?: boolean;
  declare readonly jobId?: string;
  readonly #call: ToolCall;

  constructor(call: ToolCall, trace: string) {
    this.#call = call;
    this.trace = trace;
    this.name = call.name;
    this.arguments = call.arguments;
    this.payments = call.payments;
    this.resourceUrl = call.resourceUrl;
    this.principal = call.principal;
    if (call.src !== undefined) this.src = call.src;
    if (call.asTask !== undefined) this.asTask = call.asTask;
    if (call.jobId !== undefined) this.jobId = call.jobId;
  }

  get session(): ToolCall['session'] {
    return this.#call.session;
  }

  get grant(): ToolCall['grant'] {
    return this.#call.grant;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  readonly onProgress = (step: Progress): void => this.#call.onProgress?.(step);
}
