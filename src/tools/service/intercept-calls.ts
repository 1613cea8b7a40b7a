import type { CallTracing, TracedOutcome } from '../../domain/common/call-tracing.ts';
import { toAppError } from '../../domain/common/error.ts';
import type { Progress, ToolCall, ToolOutcome, ToolService } from '../../domain/tool/tool.ts';

/** Returns a tool server with another `call`. Its tool list stays live. */
export function replaceCall(service: ToolService, call: ToolService['call']): ToolService {
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

/** Wraps a tool server so that it calls `onCall` with the tool’s name before each call. */
export function watchCalls(
  service: ToolService,
  onCall: (name: () => string) => void,
): ToolService {
  return replaceCall(service, (call) => {
    onCall(() => call.name);
    return service.call(call);
  });
}

/** Wraps a tool server with a trace span per call. Spans contain neither input nor result. */
export function traceCalls(service: ToolService, tracing: CallTracing): ToolService {
  const names = new Set((service.allTools ?? service.tools).map(({ name }) => name));
  return replaceCall(service, async (call) => {
    const { name, traceparent } = call;
    const tool = names.has(name) ? name : undefined;
    const span = tracing.startCall({ server: service.server, tool, traceparent });
    try {
      const outcome = await service.call(new TracedCall(call, span.trace));
      span.end(toCallOutcome(outcome));
      return outcome;
    } catch (thrown) {
      span.end('failed', toAppError(thrown).code);
      throw thrown;
    }
  });
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
