import { errorBody, toAppError } from '../../../domain/common/error.ts';
import { replaceResourceLinks } from '../../../domain/tool/resource-links.ts';
import type {
  PresentedPayment,
  Principal,
  Progress,
  ToolCall,
  ToolOutcome,
  ToolService,
} from '../../../domain/tool/tool.ts';
import { isJobCall, isRepeatable } from '../../../tools/payment/repeatable.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { errorJson, notificationJson, RPC, type RpcId } from '../json-rpc.ts';
import { sessionCaller } from '../session/session-caller.ts';
import type { OpenCall } from './open-call.ts';
import { type CallContext, serializeOutcome } from './outcome.ts';
import { serializeCall } from './repeatable-call.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { Tickable } from './ticker.ts';

/** The inputs of a run. */
export interface RunOptions {
  readonly id: RpcId;
  readonly name: string;
  readonly arguments: unknown;
  readonly payments: readonly PresentedPayment[];
  readonly callContext: CallContext;
  readonly progressToken: string | number | undefined;
  readonly resourceUrl: string;
  readonly principal: Principal;
  /** The caller's trace context. */
  readonly traceparent?: string | undefined;
  /** Progress reported before a restart. Only higher progress is reported. */
  readonly reportedBefore?: ReportedProgress;
  /** Receives a result before it is serialised. */
  readonly onResult?: (outcome: Extract<ToolOutcome, { kind: 'result' }>) => void;
}

/** The progress that a client knows from before a restart. */
export interface ReportedProgress {
  readonly progress: number;
  /** The client knows events that the log lacks, so the next progress may be a repetition. */
  readonly isMore: boolean;
}

const MESSAGE_CHARS_MAX = 200;

/** One `tools/call`, from the request to its answer. Creates the abort signal on demand. */
export class ToolCallRun implements ToolCall, OpenCall, Tickable {
  readonly id: RpcId;
  readonly name: string;
  readonly arguments: unknown;
  readonly payments: readonly PresentedPayment[];
  readonly resourceUrl: string;
  readonly principal: Principal;
  declare readonly src?: string;
  declare readonly asTask?: boolean;
  declare readonly traceparent?: string;
  declare readonly session?: ToolCall['session'];
  declare readonly grant?: ToolCall['grant'];
  readonly writer: ResponseWriter;
  private readonly core: EndpointCore;
  private readonly service: ToolService;
  private readonly facts: RunOptions;
  private readonly startedAt: number;
  private controller: AbortController | undefined;
  private lastProgress: number;
  /** Until this is true, the answer may still have to be a plain 402. */
  private isDecided: boolean;
  private isUnheard: boolean;
  private isAborted = false;
  private isOver = false;

  constructor(core: EndpointCore, service: ToolService, lane: ResponseWriter, facts: RunOptions) {
    this.core = core;
    this.service = service;
    this.writer = lane;
    this.facts = facts;
    this.id = facts.id;
    this.name = facts.name;
    this.arguments = facts.arguments;
    this.payments = facts.payments;
    this.resourceUrl = facts.resourceUrl;
    this.principal = facts.principal;
    const { src } = lane.session.row;
    if (src !== undefined) this.src = src;
    if (facts.callContext.asTask === true) this.asTask = true;
    if (facts.traceparent !== undefined) this.traceparent = facts.traceparent;
    if (core.workspaces !== undefined) {
      const { session, exchange } = lane;
      Object.assign(this, sessionCaller(core, session, exchange.request, facts.principal));
    }
    this.isDecided = facts.callContext.carrier === 'in_band';
    this.lastProgress = facts.reportedBefore?.progress ?? Number.NEGATIVE_INFINITY;
    this.isUnheard = facts.reportedBefore?.isMore !== true;
    this.startedAt = core.pulse.now();
  }

  get isJob(): boolean {
    return isJobCall(this.core.views.findTool(this.name));
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isAborted) this.controller.abort();
    return this.controller.signal;
  }

  /** Calls the service and answers. Never rejects. */
  start(): void {
    this.core.load.calls += 1;
    this.writer.session.add(this);
    this.core.pulse.add(this);
    this.service.call(this).then(
      (outcome) => this.finish(outcome),
      (thrown: unknown) => this.fail(thrown),
    );
  }

  onProgress(step: Progress): void {
    if (this.isOver) return;
    this.isDecided = true;
    const { progressToken } = this.facts;
    if (progressToken === undefined || step.progress <= this.lastProgress) return;
    this.lastProgress = step.progress;
    if (!this.isUnheard) {
      this.isUnheard = true;
      return;
    }
    const message = step.message.slice(0, MESSAGE_CHARS_MAX);
    const params = { progressToken, progress: step.progress, total: step.total, message };
    this.writer.notify(notificationJson('notifications/progress', params));
  }

  tick(now: number): void {
    if (!this.isDecided || now - this.startedAt < this.core.limits.upgradeAfterMs) return;
    this.writer.switchToStream();
    // From here on, the stream sends its own keep-alives.
    this.core.pulse.remove(this);
  }

  cancel(): void {
    if (this.isOver) return;
    this.close();
    this.abort();
    this.writer.skip();
  }

  handleCallerGone(): void {
    this.abort();
  }

  repeat(): string | undefined {
    const isKept = this.asTask !== true && isRepeatable(this.core.views.findTool(this.name));
    if (!isKept) return undefined;
    const { callContext, progressToken } = this.facts;
    const { hasLegacyPayment } = callContext;
    const { id, name, payments, resourceUrl, principal } = this;
    const base = { id, name, arguments: this.arguments, payments, resourceUrl, principal };
    return serializeCall({ ...base, hasLegacyPayment, progressToken });
  }

  suspend(): boolean {
    if (this.isOver || !this.writer.suspend(this)) return false;
    this.isOver = true;
    this.core.pulse.remove(this);
    this.abort();
    return true;
  }

  private abort(): void {
    this.isAborted = true;
    this.controller?.abort();
  }

  private finish(outcome: ToolOutcome): void {
    this.core.load.calls -= 1;
    if (outcome.kind === 'result') this.facts.onResult?.(outcome);
    if (this.isOver) return;
    this.close();
    const { protocolVersion } = this.writer.session.row;
    const sent =
      outcome.kind === 'result'
        ? { ...outcome, result: replaceResourceLinks(outcome.result, protocolVersion) }
        : outcome;
    const { json, status, headers } = serializeOutcome(this.id, sent, this.facts.callContext);
    this.writer.respond(json, { status, headers });
  }

  private fail(thrown: unknown): void {
    this.core.load.calls -= 1;
    if (this.isOver) return;
    this.close();
    const body = errorBody(toAppError(thrown));
    this.writer.respond(errorJson(this.id, RPC.INTERNAL, body.message, body));
  }

  private close(): void {
    this.isOver = true;
    this.core.pulse.remove(this);
    this.writer.session.remove(this);
  }
}
