import type { JsonObject } from '../common/json.ts';
import { toIsoTime } from '../common/time.ts';
import { isFinished, type JobState } from '../job/job.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { type TaskPayment, toPaymentMetadata } from './payment.ts';
import {
  type A2aArtifact,
  type A2aMessage,
  type A2aPart,
  type A2aTask,
  dataPart,
  type TaskState,
  textPart,
} from './wire.ts';

/** The form of a message that calls a skill, for texts. */
export const SKILL_FORM = '{"data": {"skill": "<id>", "arguments": {…}}}';
/** The form of a message that answers the questions of a job, for texts. */
export const ANSWER_FORM = '{"data": {"answers": [{"id": "<id>", "answer": "…"}]}}';

/** What a status says. */
export interface StatusFacts {
  readonly taskId: string;
  readonly state: TaskState;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly data?: JsonObject | undefined;
  readonly payment?: TaskPayment | undefined;
}

/** Builds a task without results. */
export function buildTask(facts: StatusFacts): A2aTask {
  const { taskId, state, text, at, data, payment } = facts;
  const message: A2aMessage = {
    messageId: `${taskId}:${at}`,
    role: 'ROLE_AGENT',
    contextId: taskId,
    taskId,
    parts: [textPart(text), ...(data === undefined ? [] : [dataPart(data)])],
    ...(payment === undefined ? {} : { metadata: toPaymentMetadata(payment) }),
  };
  return {
    id: taskId,
    contextId: taskId,
    status: { state, message, timestamp: toIsoTime(at) },
  };
}

/** Converts a job to the task of its id. A task has an artifact once its job has ended. */
export function toTask(job: JobState, payment?: TaskPayment): A2aTask {
  const { jobId: taskId, updatedAt: at, message, asks, result } = job;
  const state = stateOf(job);
  const data = asks.length === 0 ? undefined : { answer_with: ANSWER_FORM, questions: asksOf(job) };
  const text = data === undefined ? message : `${message} Answer with a data part: ${ANSWER_FORM}`;
  const task = buildTask({ taskId, state, text, at, data, payment });
  return isFinished(job) ? { ...task, artifacts: [toArtifact(taskId, result)] } : task;
}

/** Converts the result of a skill to the artifact of its task. */
export function toArtifact(taskId: string, result: ToolResult): A2aArtifact {
  return { artifactId: `${taskId}:result`, name: 'result', parts: resultParts(result) };
}

/** Returns the readable text and the structured content of a result as parts. */
export function resultParts({ content, structuredContent }: ToolResult): readonly A2aPart[] {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const data = structuredContent === undefined ? [] : [dataPart(structuredContent)];
  return text === '' ? data : [textPart(text), ...data];
}

function stateOf({ status, outcome = 'delivered' }: JobState): TaskState {
  switch (status) {
    case 'working':
      return 'TASK_STATE_WORKING';
    case 'needs_input':
      return 'TASK_STATE_INPUT_REQUIRED';
    case 'cancelled':
      return 'TASK_STATE_CANCELED';
    case 'ended':
      return ENDED_STATES[outcome];
  }
}

const ENDED_STATES = {
  delivered: 'TASK_STATE_COMPLETED',
  refused: 'TASK_STATE_REJECTED',
  failed: 'TASK_STATE_FAILED',
} as const satisfies Record<NonNullable<JobState['outcome']>, TaskState>;

function asksOf({ asks }: JobState): readonly JsonObject[] {
  return asks.map(({ askId: id, system, prompt, schema }) => ({ id, system, prompt, schema }));
}
