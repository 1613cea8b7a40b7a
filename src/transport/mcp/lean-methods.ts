import { isObject } from '../../domain/common/json.ts';
import { TRACEPARENT, traceparentOf } from '../../domain/common/trace.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpExchange } from '../http/host.ts';
import { acceptsCoding } from '../http/pack-reply.ts';
import type { PostLane } from './call/post-lane.ts';
import { allPayments, type HeadPayments } from './call/presented.ts';
import { rateErrorJson, retryAfter } from './call/rate-gate.ts';
import { ToolCallRun } from './call/tool-call-run.ts';
import type { ToolView } from './call/tool-views.ts';
import type { EndpointCore } from './endpoint-core.ts';
import { errorJson, RPC, type RpcRequest, resultJson } from './json-rpc.ts';
import type { ListAnswer } from './list-answer.ts';
import type { McpSession } from './session/session.ts';
import { SessionTasks } from './tasks/session-tasks.ts';
import { hasTasks } from './versions.ts';

/** The methods that are answered without the SDK. Every request gets exactly one answer. */
export class LeanMethods {
  private readonly core: EndpointCore;
  private readonly templates: string;
  private readonly tasks: SessionTasks | undefined;

  constructor(core: EndpointCore) {
    this.core = core;
    const { service } = core;
    this.templates = JSON.stringify({ resourceTemplates: service.resourceTemplates });
    if (service.jobs !== undefined) this.tasks = new SessionTasks(core, service.jobs);
  }

  /**
   * Answers `tools/list` from cached bytes. Returns `false` for other methods and invalid cursors.
   */
  answerBytes(exchange: HttpExchange, session: McpSession, message: RpcRequest): boolean {
    if (message.method !== 'tools/list') return false;
    const { cursor } = message.params;
    const isPacked = acceptsCoding(exchange.request, 'gzip');
    const reply = this.listOf(session).reply(message.id, { cursor, isPacked });
    if (reply !== undefined) exchange.reply(reply);
    return reply !== undefined;
  }

  /** Answers any request except `initialize`. */
  answer(lane: PostLane, message: RpcRequest, head: HeadPayments): void {
    const { id, method, params } = message;
    const { extension } = this.core;
    if (extension?.owns(method, params) === true) {
      const { session } = lane;
      session.sdk ??= extension.bind(this.core, session);
      session.sdk.answer(lane, message);
      return;
    }
    switch (method) {
      case 'tools/call':
        this.call(lane, message, head);
        return;
      case 'tools/list':
        this.list(lane, message);
        return;
      case 'ping':
        lane.respond(resultJson(id, '{}'));
        return;
      case 'resources/list':
        lane.respond(resultJson(id, '{"resources":[]}'));
        return;
      case 'resources/templates/list':
        lane.respond(resultJson(id, this.templates));
        return;
      case 'resources/read':
        this.read(lane, message);
        return;
      default:
        if (this.tasks?.answer(lane, message) === true) return;
        lane.respond(errorJson(id, RPC.METHOD_UNKNOWN, `Method not found: ${method}`));
    }
  }

  /** Answers a listing in a batch. It is always paged, because it may travel in a stream. */
  private list(lane: PostLane, { id, params }: RpcRequest): void {
    const { cursor } = params;
    const result = this.listOf(lane.session).result({ cursor, isPacked: false });
    if (result !== undefined) lane.respond(resultJson(id, result));
    else lane.respond(errorJson(id, RPC.PARAMS, 'Invalid params: unknown cursor'));
  }

  private call(lane: PostLane, message: RpcRequest, head: HeadPayments): void {
    const { id, params } = message;
    const { name, arguments: input } = params;
    const meta = isObject(params['_meta']) ? params['_meta'] : undefined;
    if (typeof name !== 'string' || (input !== undefined && !isObject(input))) {
      lane.respond(errorJson(id, RPC.PARAMS, 'Invalid params: name and arguments'));
      return;
    }
    const wish = this.tasks?.wish(lane, message) ?? false;
    if (typeof wish === 'object') {
      lane.respond(errorJson(id, wish.code, wish.message));
      return;
    }
    const principal = this.core.principalOf(lane.exchange.request);
    if (this.core.views.outside.has(name)) {
      const refused = this.core.gate.toolCall(principal, name);
      if (refused !== undefined) {
        lane.respond(rateErrorJson(id, refused), { status: 429, headers: retryAfter(refused) });
        return;
      }
    }
    const isInBand = lane.isBatch || this.core.carrier === 'in_band';
    const { service } = this.viewOf(lane);
    const run = new ToolCallRun(this.core, service, lane, {
      id,
      name,
      arguments: input ?? {},
      payments: allPayments(head.payments, meta),
      carried: {
        carrier: isInBand ? 'in_band' : 'status',
        hasLegacyPayment: head.hasLegacyPayment,
        asTask: wish,
      },
      progressToken: readToken(meta?.['progressToken']),
      resourceUrl: isInBand ? `mcp://tool/${name}` : `${this.core.baseUrl()}${this.core.path}`,
      principal,
      traceparent: traceparentOf(headerOf(lane.exchange.request, TRACEPARENT), meta),
      onResult: (outcome) => this.tasks?.note(lane.session, outcome),
    });
    run.start();
  }

  private read(lane: PostLane, message: RpcRequest): void {
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

  private listOf({ row }: McpSession): ListAnswer {
    const { list, taskList } = this.core.views.of(row.selection);
    return hasTasks(row.protocolVersion) ? taskList : list;
  }

  private viewOf({ session }: PostLane): ToolView {
    return this.core.views.of(session.row.selection);
  }
}

function readToken(token: unknown): string | number | undefined {
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
