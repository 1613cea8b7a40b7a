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

/** Tasks on an SDK server, in the words of one generation. */
export interface ServedTasks {
  readonly capabilities: ServerCapabilities;
  /** Puts the methods on a server. */
  install(server: Server): void;
  /** Whether a call is to be taken as a task. Throws a `ProtocolError` when it may not be one. */
  takes(params: RawParams, context: ServerContext): boolean;
  /** Words the answer of a call that was taken, or throws why it made no task. */
  word(outcome: Extract<ToolOutcome, { kind: 'result' }>, context: ServerContext): CallToolResult;
}

/** The tasks of a service for one era; `undefined` where no tool runs as a job. */
export function servedTasks(service: ToolService, era: ProtocolEra): ServedTasks | undefined {
  const { jobs } = service;
  if (jobs === undefined) return undefined;
  return era === 'modern' ? new ExtensionTasks(jobs) : new SdkSessionTasks(service, jobs);
}
