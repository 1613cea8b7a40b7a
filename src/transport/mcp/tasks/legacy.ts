import { AppError } from '../../../domain/common/error.ts';
import { isObject } from '../../../domain/common/json.ts';
import { isOver } from '../../../domain/job/job.ts';
import type { ToolOutcome, ToolResult, ToolService } from '../../../domain/tool/tool.ts';
import { RPC } from '../json-rpc.ts';
import type { TaskDesk } from './desk.ts';
import { createdResult, type SessionTask, sessionTask } from './words.ts';

// The methods of tasks as 2025-11-25 has them, whatever carries them. All throw `AppError`s.

type Params = Readonly<Record<string, unknown>>;

/** Answers `tasks/list`: the tasks of a session, as far as they are still kept. */
export async function listTasks(desk: TaskDesk, params: Params, jobIds: readonly string[]) {
  if (params['cursor'] !== undefined) {
    // Everything is on one page, so nobody can hold a cursor of ours.
    throw new AppError('INPUT_INVALID', { message: 'There is no such cursor.' });
  }
  const jobs = await Promise.all(jobIds.map((jobId) => desk.jobs.state(jobId)));
  return { tasks: jobs.filter((job) => job !== undefined).map(sessionTask) };
}

/** Answers `tasks/cancel`, once the job has ended. */
export async function cancelTask(desk: TaskDesk, params: Params): Promise<SessionTask> {
  const job = await desk.find(params);
  if (isOver(job)) {
    const message = `The task is ${sessionTask(job).status} already and cannot be cancelled.`;
    throw new AppError('ACTOR_CLOSED', { message });
  }
  return sessionTask(await desk.cancel(job));
}

/** A refusal in words of JSON-RPC. */
export interface RpcRefusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Why a call that asks to be a task cannot be one; nothing when it can, or names no tool. */
export function taskRefusal(
  { name, task }: Params,
  { jobs, tools }: Pick<ToolService, 'jobs' | 'tools'>,
): RpcRefusal | undefined {
  const ttl = isObject(task) ? (task['ttl'] ?? 0) : undefined;
  if (typeof ttl !== 'number' || !Number.isSafeInteger(ttl) || ttl < 0) {
    return { code: RPC.PARAMS, message: 'Invalid params: task.ttl is a number of milliseconds' };
  }
  if (jobs?.toolNames.has(String(name)) === true) return undefined;
  if (!tools.some((tool) => tool.name === name)) return undefined;
  return { code: RPC.METHOD_UNKNOWN, message: `The tool ${String(name)} does not run as a task` };
}

type Answered = Extract<ToolOutcome, { kind: 'result' }>;

/** The `CreateTaskResult` of a call, or why the call made no task. */
export function createdOf(outcome: Answered): RpcRefusal | { readonly result: ToolResult } {
  const { job, result, settlement } = outcome;
  if (job !== undefined) return { result: createdResult(job) };
  const [first] = result.content;
  const message = first?.type === 'text' ? (first.text.split('\n')[0] ?? '') : 'The call failed.';
  const isMendable = result.structuredContent?.['retry'] === 'after_fix';
  const code = isMendable ? RPC.PARAMS : RPC.INTERNAL;
  const data = { ...result.structuredContent, ...(settlement === undefined ? {} : { settlement }) };
  return { code, message, data };
}
