import { isObject } from '../../domain/common/json.ts';
import { readTraceparent, TRACEPARENT } from '../../domain/common/trace.ts';
import { acceptsCoding } from '../http/compress-reply.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpExchange } from '../http/host.ts';
import { rateErrorJson, retryAfterHeader } from './call/rate-limiter.ts';
import { addMetaPayment, type HeadPayments } from './call/read-payments.ts';
import type { ResponseWriter } from './call/response-writer.ts';
import { ToolCallRun } from './call/tool-call-run.ts';
import type { ToolView } from './call/tool-views.ts';
import type { EndpointCore } from './endpoint-core.ts';
import { errorJson, RPC, type RpcRequest, resultJson } from './json-rpc.ts';
import type { McpSession } from './session/session.ts';
import { SessionTasks } from './tasks/session-tasks.ts';
import type { ToolListing } from './tool-listing.ts';
import { supportsTasks } from './versions.ts';

/** The methods that are answered without the SDK. Every request gets exactly one answer. */
export class LeanMethods {
  private readonly core: EndpointCore;
  private readonly templates: string;
  private readonly resources: string;
  private readonly tasks: SessionTasks | undefined;

  constructor(core: EndpointCore) {
    this.core = core;
    const { service } = core;
    this.templates = JSON.stringify({ resourceTemplates: service.resourceTemplates });
    this.resources = JSON.stringify({ resources: service.resources ?? [] });
    if (service.jobs !== undefined) this.tasks = new SessionTasks(core, service.jobs);
  }

  /**
   * Answers `tools/list` from cached bytes. Returns `false` for other methods and invalid cursors.
   */
  answerFromCache(exchange: HttpExchange, session: McpSession, message: RpcRequest): boolean {
    if (message.method !== 'tools/list') return false;
    const { cursor } = message.params;
    const isPacked = acceptsCoding(exchange.request, 'gzip');
    const reply = this.listOf(session).reply(message.id, { cursor, isPacked });
    if (reply !== undefined) exchange.reply(reply);
    return reply !== undefined;
  }

  /** Answers any request except `initialize`. */
  answer(writer: ResponseWriter, message: RpcRequest, head: HeadPayments): void {
    const { id, method, params } = message;
    const { extension } = this.core;
    if (extension?.owns(method, params) === true) {
      const { session } = writer;
      session.sdk ??= extension.bind(this.core, session);
      session.sdk.answer(writer, message);
      return;
    }
    switch (method) {
      case 'tools/call':
        this.call(writer, this.unwrap(writer, message), head);
        return;
      case 'tools/list':
        this.list(writer, message);
        return;
      case 'ping':
        writer.respond(resultJson(id, '{}'));
        return;
      case 'resources/list':
        writer.respond(resultJson(id, this.resources));
        return;
      case 'resources/templates/list':
        writer.respond(resultJson(id, this.templates));
        return;
      case 'resources/read':
        this.read(writer, message);
        return;
      default:
        if (this.tasks?.answer(writer, message) === true) return;
        writer.respond(errorJson(id, RPC.METHOD_UNKNOWN, `Method not found: ${method}`));
    }
  }

  /** Answers a listing in a batch. It is always paged, because it may travel in a stream. */
  private list(lane: ResponseWriter, { id, params }: RpcRequest): void {
    const { cursor } = params;
    const result = this.listOf(lane.session).result({ cursor, isPacked: false });
    if (result !== undefined) lane.respond(resultJson(id, result));
    else lane.respond(errorJson(id, RPC.PARAMS, 'Invalid params: unknown cursor'));
  }

  private call(lane: ResponseWriter, message: RpcRequest, head: HeadPayments): void {
    const { id, params } = message;
    const { name, arguments: input } = params;
    const meta = isObject(params['_meta']) ? params['_meta'] : undefined;
    if (typeof name !== 'string' || (input !== undefined && !isObject(input))) {
      lane.respond(errorJson(id, RPC.PARAMS, 'Invalid params: name and arguments'));
      return;
    }
    const wish = this.tasks?.checkTask(lane, message) ?? false;
    if (typeof wish === 'object') {
      lane.respond(errorJson(id, wish.code, wish.message));
      return;
    }
    const principal = this.core.principalOf(lane.exchange.request);
    if (this.core.views.rateLimitedTools.has(name)) {
      const refused = this.core.gate.countToolCall(principal, name);
      if (refused !== undefined) {
        lane.respond(rateErrorJson(id, refused), {
          status: 429,
          headers: retryAfterHeader(refused),
        });
        return;
      }
    }
    const isInBand = lane.isBatch || this.core.carrier === 'in_band';
    const { service } = this.viewOf(lane);
    const run = new ToolCallRun(this.core, service, lane, {
      id,
      name,
      arguments: input ?? {},
      payments: addMetaPayment(head.payments, meta),
      callContext: {
        carrier: isInBand ? 'in_band' : 'status',
        hasLegacyPayment: head.hasLegacyPayment,
        asTask: wish,
      },
      progressToken: parseToken(meta?.['progressToken']),
      resourceUrl: `${this.core.baseUrl()}${this.core.path}`,
      principal,
      traceparent: readTraceparent(headerOf(lane.exchange.request, TRACEPARENT), meta),
      onResult: (outcome) => this.tasks?.recordTask(lane.session, outcome),
    });
    run.start();
  }

  // In search mode, `call_tool` stands for the call of another tool from here on.
  private unwrap(lane: ResponseWriter, message: RpcRequest): RpcRequest {
    const { service } = this.viewOf(lane);
    const { params } = message;
    const carried = service.unwrap?.(params['name'], params['arguments']);
    return carried === undefined ? message : { ...message, params: { ...params, ...carried } };
  }

  private read(lane: ResponseWriter, message: RpcRequest): void {
    const { id, params } = message;
    const { uri } = params;
    if (typeof uri !== 'string') {
      lane.respond(errorJson(id, RPC.PARAMS, 'Invalid params: uri'));
      return;
    }
    this.core.service.readResource(uri).then(
      (content) => {
        if (content !== undefined) {
          lane.respond(resultJson(id, JSON.stringify({ contents: [content] })));
          return;
        }
        lane.respond(errorJson(id, RPC.RESOURCE_UNKNOWN, 'Resource not found', { uri }));
      },
      () => lane.respond(errorJson(id, RPC.INTERNAL, 'Internal error')),
    );
  }

  private listOf({ row }: McpSession): ToolListing {
    const { list, taskList } = this.core.views.forSelection(row.selection);
    return supportsTasks(row.protocolVersion) ? taskList : list;
  }

  private viewOf({ session }: ResponseWriter): ToolView {
    return this.core.views.forSelection(session.row.selection);
  }
}

function parseToken(token: unknown): string | number | undefined {
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
