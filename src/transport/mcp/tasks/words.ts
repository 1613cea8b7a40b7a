import { type AppError, type ErrorCode, errorBody } from '../../../domain/common/error.ts';
import { isOver, JOB_KEPT_MS, type JobState } from '../../../domain/job/job.ts';
import type { ToolResult } from '../../../domain/tool/tool.ts';
import { RPC } from '../json-rpc.ts';

/** Names a task in the `_meta` of what belongs to it, in the generation of 2025-11-25. */
export const RELATED_TASK_META = 'io.modelcontextprotocol/related-task';
/** The extension of 2026-07-28 that tasks are served by. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
/** What a server says at `initialize` of 2025-11-25 when calls can be taken as tasks. */
export const TASKS_CAPABILITY = {
  list: {},
  cancel: {},
  requests: { tools: { call: {} } },
} as const;
/** Tells the client's model what it may say while the task runs. */
const IMMEDIATE_META = 'io.modelcontextprotocol/model-immediate-response';

/** How a task stands, in the words of both generations. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task as 2025-11-25 writes it. */
export interface SessionTask {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Milliseconds from its creation; `null` while the end, from which it is kept, is open. */
  readonly ttl: number | null;
  /** Milliseconds. */
  readonly pollInterval: number;
}

/** Words a job as a task of 2025-11-25, where a tool's error makes a task fail. */
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

/** The answer of 2025-11-25 to a call that was taken as a task. */
export function createdResult(job: JobState) {
  return {
    // Without it, the check of tool results refuses the answer.
    content: [],
    task: sessionTask(job),
    _meta: { [IMMEDIATE_META]: immediateText(job) },
  };
}

/** The result of a job as `tasks/result` of 2025-11-25 hands it over. */
export function relatedResult({ jobId, result }: JobState): ToolResult {
  return { ...result, _meta: { ...result._meta, [RELATED_TASK_META]: { taskId: jobId } } };
}

/** Words a job as a task of the 2026-07-28 extension, where a tool's error is a result. */
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

/** The JSON-RPC code of a fault, and what goes with it. */
export function rpcFault(error: AppError) {
  const body = errorBody(error);
  const code = CALLERS.includes(error.code) ? RPC.PARAMS : RPC.INTERNAL;
  return { code, message: `${body.error}: ${body.message}`, data: body };
}

/** Faults of what the caller has sent. */
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

// A job is kept from its end on, so until then nobody can say for how long.
function keptMs(job: JobState): number | null {
  return isOver(job) ? job.updatedAt - job.createdAt + JOB_KEPT_MS : null;
}

function rfc3339(at: number): string {
  return new Date(at).toISOString();
}

function immediateText({ jobId }: JobState): string {
  return `The work is paid for and runs as job ${jobId}. Its result comes later.`;
}
