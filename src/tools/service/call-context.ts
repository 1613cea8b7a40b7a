import type { Services } from '../../actors/common/services.ts';
import type {
  Grant,
  JobBuyer,
  Principal,
  Progress,
  Tool,
  ToolCall,
  ToolContext,
  ToolSession,
} from '../../domain/tool/tool.ts';

/** Origins of the server, for callers that do not reach it over HTTP. */
export type Origins = Services['origins'] | undefined;

/** Reads call members lazily, so that a free call never creates a signal that it does not use. */
export class CallContext implements ToolContext {
  readonly #call: ToolCall;
  readonly #origins: Origins;
  /** An arrow function, because tools destructure the context. */
  readonly progress = (step: Progress): void => this.#call.onProgress?.(step);

  constructor(call: ToolCall, origins: Origins) {
    this.#call = call;
    this.#origins = origins;
  }

  get principal(): Principal {
    return this.#call.principal;
  }

  get session(): ToolSession | undefined {
    return this.#call.session;
  }

  get grant(): Grant | undefined {
    return this.#call.grant;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get origin(): string | undefined {
    return findOrigin(this.#call, this.#origins);
  }
}

/**
 * Creates the context of a paid call. Inline work continues after the caller disconnects; waiting
 * for a job stops.
 */
export function createPaidContext(
  { price }: Pick<Tool, 'price'>,
  call: ToolCall,
  by: Pick<JobBuyer, 'paymentId' | 'payer'> & Pick<ToolContext, 'jobId' | 'origin'>,
): ToolContext {
  const { principal } = call;
  const signal = by.jobId === undefined ? new AbortController().signal : call.signal;
  return {
    ...by,
    principal,
    price: price?.amount,
    signal,
    progress: (step) => call.onProgress?.(step),
  };
}

/** Returns the origin at which a caller reaches this server; `undefined` without one. */
export function findOrigin({ resourceUrl }: ToolCall, origins: Origins): string | undefined {
  // A call may have getters only, so it cannot be copied with its origin.
  const origin = URL.canParse(resourceUrl) ? new URL(resourceUrl).origin : 'null';
  return origin === 'null' ? origins?.()[0] : origin;
}
