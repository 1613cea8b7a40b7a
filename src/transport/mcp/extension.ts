import type { Server } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../domain/json.ts';

/** Part of a server that the lean path does not speak: served by the SDK on the same session. */
export interface McpExtension {
  /** Added to what `initialize` advertises. */
  readonly capabilities: JsonObject;
  /** Listed after the service's own tools. */
  readonly tools: readonly JsonObject[];
  /** Whether a message is answered by the SDK. */
  owns(method: string, params: Readonly<Record<string, unknown>>): boolean;
  /** Puts the handlers on a server that is bound to one session. */
  install(server: Server): void;
}
