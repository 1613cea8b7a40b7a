import { isObject } from '../../domain/json.ts';
import { headerOf, queryValue } from '../http/headers.ts';
import type { HttpExchange } from '../http/host.ts';
import type { EndpointCore } from './endpoint-core.ts';
import { type RpcRequest, resultJson } from './json-rpc.ts';
import { REFUSALS } from './refusal.ts';
import { negotiate } from './versions.ts';

/** Longest text of what a client says about itself, in characters of JSON. */
const CLIENT_CHARS_MAX = 8_192;
const SRC = /^[\w.:-]{1,64}$/;

/** Answers `initialize`: negotiates the version and begins a session. */
export class InitializeAnswer {
  private readonly core: EndpointCore;
  /** Result by version, made on first use. */
  private readonly results = new Map<string, string>();

  constructor(core: EndpointCore) {
    this.core = core;
  }

  /** Answers with the session's id in a header, or refuses. */
  answer(exchange: HttpExchange, message: RpcRequest): void {
    const { request } = exchange;
    if (headerOf(request, 'mcp-session-id') !== undefined) {
      exchange.reply(REFUSALS.initialized);
      return;
    }
    const client = readClient(message.params);
    if (client === undefined) {
      exchange.reply(REFUSALS.clientFacts);
      return;
    }
    const protocolVersion = negotiate(message.params['protocolVersion']);
    const src = queryValue(request.query, 'src');
    const session = this.core.sessions.create({
      endpoint: this.core.path,
      protocolVersion,
      ...client,
      principal: this.core.principalOf(request).id,
      ...(src !== undefined && SRC.test(src) ? { src } : {}),
    });
    if (session === undefined) {
      exchange.reply(REFUSALS.sessions);
      return;
    }
    exchange.reply({
      status: 200,
      headers: ['content-type', 'application/json', 'mcp-session-id', session.row.sessionId],
      body: resultJson(message.id, this.result(protocolVersion)),
    });
  }

  private result(protocolVersion: string): string {
    const known = this.results.get(protocolVersion);
    if (known !== undefined) return known;
    const { service, extension } = this.core;
    const made = JSON.stringify({
      protocolVersion,
      capabilities: { tools: {}, resources: {}, ...extension?.capabilities },
      serverInfo: {
        name: `stoa-${service.server}`,
        title: service.title,
        version: service.version,
      },
      instructions: service.instructions,
    });
    this.results.set(protocolVersion, made);
    return made;
  }
}

function readClient(params: Readonly<Record<string, unknown>>) {
  const { clientInfo, capabilities, protocolVersion } = params;
  if (typeof protocolVersion !== 'string') return undefined;
  if (!isObject(clientInfo) || !isObject(capabilities)) return undefined;
  const { name, version } = clientInfo;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  const chars = name.length + version.length + JSON.stringify(capabilities).length;
  if (chars > CLIENT_CHARS_MAX) return undefined;
  return { clientInfo: { name, version }, clientCapabilities: capabilities };
}
