import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { SERVER_ICONS } from '../../domain/manifest/icon.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import { headerOf, queryValue } from '../http/headers.ts';
import type { HttpExchange } from '../http/host.ts';
import { rateReply } from './call/rate-limiter.ts';
import { selectionErrorReply, selectView } from './call/tool-selection.ts';
import type { EndpointCore } from './endpoint-core.ts';
import { ERROR_REPLIES } from './error-replies.ts';
import { type RpcRequest, resultJson } from './json-rpc.ts';
import type { McpSession } from './session/session.ts';
import { TASKS_CAPABILITY } from './tasks/task-format.ts';
import { negotiateVersion, supportsTasks } from './versions.ts';

/** Longest description that a client may send of itself, in characters of JSON. */
const CLIENT_CHARS_MAX = 8_192;
const SRC = /^[\w.:-]{1,64}$/;

/** Answers `initialize`: negotiates the version and starts a session. */
export class InitializeHandler {
  private readonly core: EndpointCore;
  /** Results by version and mode, created on first use. */
  private readonly results = new Map<string, string>();

  constructor(core: EndpointCore) {
    this.core = core;
  }

  /** Replies with the session id in a header, or with an error. */
  answer(exchange: HttpExchange, message: RpcRequest): void {
    const session = this.startSession(exchange, message);
    if (session === undefined) return;
    const { sessionId, protocolVersion, selection } = session.row;
    const { service } = this.core.views.forSelection(selection);
    exchange.reply({
      status: 200,
      headers: ['content-type', 'application/json', 'mcp-session-id', sessionId],
      body: resultJson(message.id, this.result(protocolVersion, service)),
    });
  }

  /** Starts a session, without the answer to its handshake. Sends the error reply itself. */
  startSession(exchange: HttpExchange, message: RpcRequest): McpSession | undefined {
    const { request } = exchange;
    if (headerOf(request, 'mcp-session-id') !== undefined) {
      exchange.reply(ERROR_REPLIES.initialized);
      return undefined;
    }
    const client = parseClient(message.params);
    if (client === undefined) {
      exchange.reply(ERROR_REPLIES.clientFacts);
      return undefined;
    }
    const principal = this.core.principalOf(request);
    const refused = this.core.gate.countSession(principal);
    if (refused !== undefined) {
      exchange.reply(rateReply(message.id, refused));
      return undefined;
    }
    const view = selectView(this.core, request);
    if (view instanceof AppError) {
      exchange.reply(selectionErrorReply(message.id, view));
      return undefined;
    }
    const protocolVersion = negotiateVersion(message.params['protocolVersion']);
    const src = queryValue(request.query, 'src');
    const session = this.core.sessions.create({
      endpoint: this.core.path,
      protocolVersion,
      ...client,
      principal: principal.id,
      ...(src !== undefined && SRC.test(src) ? { src } : {}),
      ...(view.selection === undefined ? {} : { selection: view.selection }),
    });
    if (session === undefined) exchange.reply(ERROR_REPLIES.sessions);
    return session;
  }

  private result(protocolVersion: string, service: ToolService): string {
    const key = `${protocolVersion} ${service.unwrap === undefined ? 'list' : 'search'}`;
    const known = this.results.get(key);
    if (known !== undefined) return known;
    const { extension } = this.core;
    const canTask = service.jobs !== undefined && supportsTasks(protocolVersion);
    const tasks = canTask ? { tasks: TASKS_CAPABILITY } : {};
    const made = JSON.stringify({
      protocolVersion,
      capabilities: { tools: {}, resources: {}, ...tasks, ...extension?.capabilities },
      serverInfo: {
        name: `stoa-${service.server}`,
        title: service.title,
        version: service.version,
        icons: SERVER_ICONS,
      },
      instructions: service.instructions,
    });
    this.results.set(key, made);
    return made;
  }
}

function parseClient(params: Readonly<Record<string, unknown>>) {
  const { clientInfo, capabilities, protocolVersion } = params;
  if (typeof protocolVersion !== 'string') return undefined;
  if (!isObject(clientInfo) || !isObject(capabilities)) return undefined;
  const { name, version } = clientInfo;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  const chars = name.length + version.length + JSON.stringify(capabilities).length;
  if (chars > CLIENT_CHARS_MAX) return undefined;
  return { clientInfo: { name, version }, clientCapabilities: capabilities };
}
