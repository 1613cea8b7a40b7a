import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '../../../domain/common/json.ts';
import type { JobAnswer, JobQuestion, JobState } from '../../../domain/job/job.ts';
import type { ServedJobs, ToolOutcome } from '../../../domain/tool/tool.ts';
import { withSettlement } from '../call/outcome.ts';
import { buildQuestion, parseAnswer, supportsQuestions } from './questions.ts';
import { type RawParams, serveMethod } from './sdk-handlers.ts';
import type { ServedTasks } from './served-tasks.ts';
import { TASKS_EXTENSION, toFlatTask } from './task-format.ts';
import { TaskService } from './task-service.ts';

type Capabilities = Readonly<Record<string, unknown>>;

const REQUIRED = { extensions: { [TASKS_EXTENSION]: {} } };
const DONE = { resultType: 'complete' } as const;

/** Tasks of 2026-07-28 on an SDK server: an extension that each request declares. */
export class ExtensionTasks implements ServedTasks {
  readonly capabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  private readonly jobs: ServedJobs;
  private readonly taskService: TaskService;

  constructor(jobs: ServedJobs) {
    this.jobs = jobs;
    this.taskService = new TaskService(jobs);
  }

  install(server: Server): void {
    const serve = (method: string, answer: Parameters<typeof serveMethod>[2]): void =>
      serveMethod(server, method, async (params, context) => {
        requireDeclared(capabilitiesOf(context));
        return answer(params, context);
      });
    serve('tasks/get', async (params, context) => {
      const job = await this.taskService.find(params);
      return { ...DONE, ...this.describeTask(job, capabilitiesOf(context)) };
    });
    serve('tasks/update', async (params, context) => {
      const { jobId, asks } = await this.taskService.find(params);
      const answers = parseAnswers(asks, params['inputResponses'] ?? context.mcpReq.inputResponses);
      if (answers.length > 0) await this.jobs.supply(jobId, answers);
      return DONE;
    });
    serve('tasks/cancel', async (params) => {
      const { jobId } = await this.taskService.find(params);
      await this.jobs.cancel(jobId);
      return DONE;
    });
  }

  /** Builds the `tasks/get` reply of a task. */
  protected describeTask(job: JobState, capabilities: Capabilities): JsonObject {
    return describeTask(job, capabilities);
  }

  runsAsTask(params: RawParams, context: ServerContext): boolean {
    return (
      declaresTasks(capabilitiesOf(context)) && this.jobs.toolNames.has(String(params['name']))
    );
  }

  toResult(
    outcome: Extract<ToolOutcome, { kind: 'result' }>,
    context: ServerContext,
  ): CallToolResult {
    const { job, result, settlement } = outcome;
    // A call that created no task is answered as an ordinary tool call.
    if (job === undefined) return withSettlement(result, settlement) as CallToolResult;
    const task = toBaseTask(job, capabilitiesOf(context));
    // Without content, the validation of tool results rejects the result.
    const created = { resultType: 'task', content: [], ...task };
    return withSettlement(created, settlement) as CallToolResult;
  }
}

/** Builds a task with the fields of its status, for `tasks/get` and for notifications. */
export function describeTask(job: JobState, capabilities: Capabilities): JsonObject {
  const task = toBaseTask(job, capabilities);
  if (task.status === 'completed') return toJson({ ...task, result: job.result });
  if (task.status !== 'input_required') return toJson(task);
  const asked = job.asks.map((ask) => [ask.askId, buildQuestion(ask, capabilities)]);
  return toJson({ ...task, inputRequests: Object.fromEntries(asked) });
}

/** Returns whether a client declares the tasks extension in a request. */
export function declaresTasks(capabilities: Capabilities): boolean {
  const { extensions } = capabilities;
  return isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined;
}

/** Builds the error for a client that has not declared the required extension. */
export function missingExtension(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: REQUIRED });
}

// A client that cannot answer questions sees a working task; its message names what it waits for.
function toBaseTask(job: JobState, capabilities: Capabilities) {
  const task = toFlatTask(job);
  const isAskable = task.status !== 'input_required' || supportsQuestions(capabilities);
  return isAskable ? task : { ...task, status: 'working' as const };
}

function requireDeclared(capabilities: Capabilities): void {
  if (declaresTasks(capabilities)) return;
  const { code, message, data } = missingExtension();
  throw new ProtocolError(code, message, data);
}

/** Returns the capabilities that a client of 2026-07-28 declares in a request. */
export function capabilitiesOf({ mcpReq }: ServerContext): Capabilities {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY];
  return isObject(capabilities) ? capabilities : {};
}

// Answers that match no open question are ignored.
function parseAnswers(asks: readonly JobQuestion[], responses: unknown): readonly JobAnswer[] {
  if (!isObject(responses)) return [];
  return asks.flatMap((ask) => {
    const answer = parseAnswer(ask, responses[ask.askId]);
    return answer === undefined ? [] : [{ askId: ask.askId, answer }];
  });
}

function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
