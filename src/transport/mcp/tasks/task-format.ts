import { type AppError, type ErrorCode, errorBody } from '../../../domain/common/error.ts';
import { toIsoTime } from '../../../domain/common/time.ts';
import { isFinished, JOB_RETENTION_MS, type JobState } from '../../../domain/job/job.ts';
import type { ToolResult } from '../../../domain/tool/tool-result.ts';
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
export function toSessionTask(job: JobState): SessionTask {
  return {
    taskId: job.jobId,
    status: taskStatus(job, 'failed'),
    statusMessage: job.message,
    createdAt: toIsoTime(job.createdAt),
    lastUpdatedAt: toIsoTime(job.updatedAt),
    ttl: ttlMs(job),
    pollInterval: job.pollAfterMs,
  };
}

/** Builds the 2025-11-25 result of a call that started a task. */
export function toCreatedResult(job: JobState) {
  return {
    // Without content, the validation of tool results rejects the result.
    content: [],
    task: toSessionTask(job),
    _meta: { [IMMEDIATE_META]: immediateText(job) },
  };
}

/** Builds the `tasks/result` reply of 2025-11-25. */
export function toRelatedResult({ jobId, result }: JobState): ToolResult {
  return { ...result, _meta: { ...result._meta, [RELATED_TASK_META]: { taskId: jobId } } };
}

/** Converts a job to a task of the 2026-07-28 extension, where a tool error is a result. */
export function toFlatTask(job: JobState) {
  return {
    taskId: job.jobId,
    status: taskStatus(job, 'completed'),
    statusMessage: job.message,
    createdAt: toIsoTime(job.createdAt),
    lastUpdatedAt: toIsoTime(job.updatedAt),
    ttlMs: ttlMs(job),
    pollIntervalMs: job.pollAfterMs,
  };
}

/** Converts an error to its JSON-RPC code, message and data. */
export function toRpcError(error: AppError) {
  const body = errorBody(error);
  const code = CALLER_ERRORS.includes(error.code) ? RPC.PARAMS : RPC.INTERNAL;
  return { code, message: `${body.error}: ${body.message}`, data: body };
}

/** Errors that the caller's input causes. */
const CALLER_ERRORS: readonly ErrorCode[] = [
  'ACTOR_CLOSED',
  'AGENT_TURNS_REFUSED',
  'INPUT_INVALID',
  'JOB_UNKNOWN',
];

function taskStatus(job: JobState, withError: 'failed' | 'completed'): TaskStatus {
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
function ttlMs(job: JobState): number | null {
  return isFinished(job) ? job.updatedAt - job.createdAt + JOB_RETENTION_MS : null;
}

function immediateText({ jobId }: JobState): string {
  return `The call is paid and runs as job ${jobId}. The result follows later.`;
}
