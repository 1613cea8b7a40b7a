import type { McpServer, Server, ServerNotifier } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../domain/common/json.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import type { EndpointCore } from './endpoint-core.ts';
import type { SdkBinding } from './sdk/sdk-binding.ts';
import type { McpSession } from './session/session.ts';

/** Part of a server that the lean path does not speak: served by the SDK on the same session. */
export interface McpExtension {
  /** Added to what `initialize` advertises. */
  readonly capabilities: JsonObject;
  /** Listed after the service's own tools. */
  readonly tools: readonly JsonObject[];
  /** Whether a message is answered by the SDK. */
  owns(method: string, params: Readonly<Record<string, unknown>>): boolean;
  /** Makes the SDK's server on a session that asks for something of the extension. */
  bind(core: EndpointCore, session: McpSession): SdkBinding;
  /** Puts the handlers on a server that is bound to one session. */
  install(server: Server): void;
  /** The same for 2026-07-28, where each request has a server of its own. */
  readonly modern: ModernExtension;
}

/** Requests of 2026-07-28 that are answered in place of the service's own server. */
export interface ModernExtension {
  owns(method: string, params: Readonly<Record<string, unknown>>): boolean;
  /** Makes the server of one request; what it lists holds the service's tools as well. */
  makeServer(service: ToolService, request: OwnedRequest): Server | McpServer;
}

/** What a server for one request is made for. */
export interface OwnedRequest {
  readonly params: Readonly<Record<string, unknown>>;
  /** Tells subscriptions of changes. */
  readonly notify: ServerNotifier;
}
