import type { McpServer, Server, ServerNotifier } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../domain/common/json.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import type { McpSession, SessionSdk } from './session/session.ts';
import type { ChannelCore } from './sse-channel.ts';

/**
 * A part of a server that the lean front does not implement. The SDK serves it on the same session.
 */
export interface McpExtension {
  /** Capabilities added to `initialize`. */
  readonly capabilities: JsonObject;
  /** Tools listed after those of the service. */
  readonly tools: readonly JsonObject[];
  /** Returns whether the SDK answers a message. */
  owns(method: string, params: Readonly<Record<string, unknown>>): boolean;
  /** Creates the SDK server of a session that uses the extension. */
  bind(core: ExtensionCore, session: McpSession): SessionSdk;
  /** Registers the handlers on the server of one session. */
  install(server: Server): void;
  /** The counterpart for 2026-07-28, where each request has its own server. */
  readonly modern: ModernExtension;
}

/** The dependencies of an endpoint that the SDK servers of its sessions need. */
export interface ExtensionCore extends ChannelCore {
  readonly service: ToolService;
  readonly extension?: McpExtension;
}

/** Requests of 2026-07-28 that are answered in place of the service's own server. */
export interface ModernExtension {
  owns(method: string, params: Readonly<Record<string, unknown>>): boolean;
  /** Creates the server of one request. Its lists also include the service's tools. */
  makeServer(service: ToolService, request: OwnedRequest): Server | McpServer;
}

/** The input to create a server for one request. */
export interface OwnedRequest {
  readonly params: Readonly<Record<string, unknown>>;
  /** Notifies subscriptions of changes. */
  readonly notify: ServerNotifier;
}
