import { AppError } from '../../../domain/common/error.ts';
import { isObject } from '../../../domain/common/json.ts';
import { isFinished } from '../../../domain/job/job.ts';
import type { ToolOutcome, ToolService } from '../../../domain/tool/tool.ts';
import type { ToolResult } from '../../../domain/tool/tool-result.ts';
import { RPC } from '../json-rpc.ts';
import { type SessionTask, toCreatedResult, toSessionTask } from './task-format.ts';
import type { TaskService } from './task-service.ts';

// The task methods of 2025-11-25, for any transport. All throw `AppError`s.

type Params = Readonly<Record<string, unknown>>;

/** Answers `tasks/list` with the tasks of a session that still exist. */
export async function listTasks(
  taskService: TaskService,
  params: Params,
  jobIds: readonly string[],
) {
  if (params['cursor'] !== undefined) {
    // Everything fits on one page, so the server never issues a cursor.
    throw new AppError('INPUT_INVALID', { message: 'The list has no further page.' });
  }
  const jobs = await Promise.all(jobIds.map((jobId) => taskService.jobs.state(jobId)));
  return { tasks: jobs.filter((job) => job !== undefined).map(toSessionTask) };
}

/** Answers `tasks/cancel` once the job has ended. */
export async function cancelTask(desk: TaskService, params: Params): Promise<SessionTask> {
  const job = await desk.find(params);
  if (isFinished(job)) {
    const message = `The task is already ${toSessionTask(job).status} and cannot be cancelled.`;
    throw new AppError('ACTOR_CLOSED', { message });
  }
  return toSessionTask(await desk.cancel(job));
}

/** A JSON-RPC error. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * Returns the error of a call that cannot run as a task. `undefined` if it can, or for unknown
 * tools.
 */
export function checkTaskCall(
  { name, task }: Params,
  { jobs, tools }: Pick<ToolService, 'jobs' | 'tools'>,
): RpcError | undefined {
  const ttl = isObject(task) ? (task['ttl'] ?? 0) : undefined;
  if (typeof ttl !== 'number' || !Number.isSafeInteger(ttl) || ttl < 0) {
    const message = 'Invalid params: task.ttl must be a number of milliseconds';
    return { code: RPC.PARAMS, message };
  }
  if (jobs?.toolNames.has(String(name)) === true) return undefined;
  if (!tools.some((tool) => tool.name === name)) return undefined;
  return { code: RPC.METHOD_UNKNOWN, message: `The tool ${String(name)} cannot run as a task` };
}

type Answered = Extract<ToolOutcome, { kind: 'result' }>;

/** Returns the `CreateTaskResult` of a call, or the error if it created no task. */
export function toCreatedTask(outcome: Answered): RpcError | { readonly result: ToolResult } {
  const { job, result, settlement } = outcome;
  if (job !== undefined) return { result: toCreatedResult(job) };
  const [first] = result.content;
  const message = first?.type === 'text' ? (first.text.split('\n')[0] ?? '') : 'The call failed.';
  const isFixable = result.structuredContent?.['retry'] === 'after_fix';
  const code = isFixable ? RPC.PARAMS : RPC.INTERNAL;
  const data = { ...result.structuredContent, ...(settlement === undefined ? {} : { settlement }) };
  return { code, message, data };
}
