import type {
  CallToolResult,
  Server,
  ServerCapabilities,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { ToolOutcome } from '../../../domain/tool/tool.ts';
import type { RawParams } from './sdk-handlers.ts';

/** Tasks on an SDK server, in the format of one protocol version. */
export interface ServedTasks {
  readonly capabilities: ServerCapabilities;
  /** Registers the task methods on a server. */
  install(server: Server): void;
  /** Returns whether a call runs as a task. Throws a `ProtocolError` when it may not. */
  runsAsTask(params: RawParams, context: ServerContext): boolean;
  /** Builds the result of a call that ran as a task. Throws if it created none. */
  toResult(
    outcome: Extract<ToolOutcome, { kind: 'result' }>,
    context: ServerContext,
  ): CallToolResult;
}
