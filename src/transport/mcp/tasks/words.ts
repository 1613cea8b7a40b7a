import { type AppError, type ErrorCode, errorBody } from '../../../domain/common/error.ts';
import { isOver, JOB_KEPT_MS, type JobState } from '../../../domain/job/job.ts';
import type { ToolResult } from '../../../domain/tool/tool.ts';
import { RPC } from '../json-rpc.ts';

/** The `_meta` key that links a message to its task, in version 2025-11-25. */
export const RELATED_TASK_META = 'io.modelcontextprotocol/related-task';
/** The extension of 2026-07-28 that serves tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/** The capabilities in `initialize` of 2025-11-25 when calls can run as tasks. */
export const TASKS_CAPABILITY = {
  list: {},
  cancel: {},
  requests: { tools: { call: {} } },
} as const;
/** The `_meta` key of the text that the client's model may use while the task runs. */
const IMMEDIATE_META = 'io.modelcontextprotocol/model-immediate-response';

/** The status of a task, in the terms of both versions. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task in the format of 2025-11-25. */
export interface SessionTask {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Milliseconds from creation. `null` until the task ends, as retention starts then. */
  readonly ttl: number | null;
  /** Milliseconds. */
  readonly pollInterval: number;
}

/** Converts a job to a task of 2025-11-25, where a tool error fails the task. */
export function sessionTask(job: JobState): SessionTask {
  return {
    taskId: job.jobId,
    status: statusOf(job, 'failed'),
    statusMessage: job.message,
    createdAt: rfc3339(job.createdAt),
    lastUpdatedAt: rfc3339(job.updatedAt),
    ttl: keptMs(job),
    pollInterval: job.pollAfterMs,
  };
}

/** Builds the 2025-11-25 result of a call that started a task. */
export function createdResult(job: JobState) {
  return {
    // Without content, the validation of tool results rejects the result.
    content: [],
    task: sessionTask(job),
    _meta: { [IMMEDIATE_META]: immediateText(job) },
  };
}

/** Builds the `tasks/result` reply of 2025-11-25. */
export function relatedResult({ jobId, result }: JobState): ToolResult {
  return { ...result, _meta: { ...result._meta, [RELATED_TASK_META]: { taskId: jobId } } };
}

/** Converts a job to a task of the 2026-07-28 extension, where a tool error is a result. */
export function flatTask(job: JobState) {
  return {
    taskId: job.jobId,
    status: statusOf(job, 'completed'),
    statusMessage: job.message,
    createdAt: rfc3339(job.createdAt),
    lastUpdatedAt: rfc3339(job.updatedAt),
    ttlMs: keptMs(job),
    pollIntervalMs: job.pollAfterMs,
  };
}

/** Converts an error to its JSON-RPC code, message and data. */
export function rpcFault(error: AppError) {
  const body = errorBody(error);
  const code = CALLERS.includes(error.code) ? RPC.PARAMS : RPC.INTERNAL;
  return { code, message: `${body.error}: ${body.message}`, data: body };
}

/** Errors that the caller's input causes. */
const CALLERS: readonly ErrorCode[] = [
  'ACTOR_CLOSED',
  'AGENT_TURNS_REFUSED',
  'INPUT_INVALID',
  'JOB_UNKNOWN',
];

function statusOf(job: JobState, withError: 'failed' | 'completed'): TaskStatus {
  switch (job.status) {
    case 'working':
      return 'working';
    case 'needs_input':
      return 'input_required';
    case 'cancelled':
      return 'cancelled';
    case 'ended':
      return job.result.isError === true ? withError : 'completed';
  }
}

// Retention starts when a job ends, so the value is unknown before that.
function keptMs(job: JobState): number | null {
  return isOver(job) ? job.updatedAt - job.createdAt + JOB_KEPT_MS : null;
}

function rfc3339(at: number): string {
  return new Date(at).toISOString();
}

function immediateText({ jobId }: JobState): string {
  return `The call is paid and runs as job ${jobId}. The result follows later.`;
}
