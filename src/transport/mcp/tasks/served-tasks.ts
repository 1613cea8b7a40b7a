import type {
  CallToolResult,
  ProtocolEra,
  Server,
  ServerCapabilities,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { ToolOutcome, ToolService } from '../../../domain/tool/tool.ts';
import { ExtensionTasks } from './extension-tasks.ts';
import type { RawParams } from './sdk-handlers.ts';
import { SdkSessionTasks } from './sdk-session-tasks.ts';

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

/** Returns the tasks of a service for one era, or `undefined` when no tool runs as a job. */
export function createServedTasks(service: ToolService, era: ProtocolEra): ServedTasks | undefined {
  const { jobs } = service;
  if (jobs === undefined) return undefined;
  return era === 'modern' ? new ExtensionTasks(jobs) : new SdkSessionTasks(service, jobs);
}
