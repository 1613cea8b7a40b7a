import { protocolFault } from '../../domain/agent-protocol/fault.ts';
import { A2A_PATH } from '../../domain/agent-protocol/wire.ts';
import { AppError, isErrorCode } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import type { PresentedPayment, ToolOutcome, ToolService } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import type { AgentCore, Caller, HostingSkills } from './agent-core.ts';
import type { OfferedCall } from './open-tasks.ts';

/** A call of a skill. */
export interface SkillCall {
  readonly call: OfferedCall;
  readonly payments: readonly PresentedPayment[];
  /** Id of the job, if it was promised before. */
  readonly jobId?: string;
}

/** The outcome of a skill that exists. */
export type SkillOutcome = Exclude<ToolOutcome, { readonly kind: 'unknown_tool' }>;

/** Returns whether a skill runs as a job. */
export function isJobSkill({ service }: Pick<AgentCore, 'service'>, skill: string): boolean {
  return service.jobs?.toolNames.has(skill) === true;
}

/**
 * Calls a skill. A job is not waited for.
 *
 * @throws {AppError} `TOOL_UNKNOWN`, `UNAUTHORIZED`, `RATE_LIMITED`, `OVERLOADED`
 */
export async function callSkill(
  core: AgentCore,
  { call, payments, jobId }: SkillCall,
  caller: Caller,
): Promise<SkillOutcome> {
  const target = findTarget(core, call.skill, caller);
  const { principal, grant } = target;
  if (target.views.rateLimitedTools.has(call.skill)) {
    const refused = core.gate.countToolCall(principal, call.skill);
    if (refused !== undefined) throw rateFault(refused.retryAfterS);
  }
  if (core.load.calls >= core.limits.callsMax) throw new AppError('OVERLOADED');
  core.load.calls += 1;
  try {
    const outcome = await target.service.call({
      name: call.skill,
      arguments: call.arguments,
      payments,
      resourceUrl: `${core.baseUrl()}${A2A_PATH}`,
      asTask: isJobSkill(target, call.skill),
      ...(jobId === undefined ? {} : { jobId }),
      ...(caller.src === undefined ? {} : { src: caller.src }),
      ...(caller.traceparent === undefined ? {} : { traceparent: caller.traceparent }),
      ...(grant === undefined ? {} : { grant }),
      principal,
      signal: caller.signal,
    });
    if (outcome.kind === 'unknown_tool') throw unknownSkill(core, call.skill);
    return outcome;
  } finally {
    core.load.calls -= 1;
  }
}

/** Returns the error of a result, so that no client takes it for an answer. */
export function resultFault({ content, structuredContent }: ToolResult): AppError {
  const { error, message, data } = structuredContent ?? {};
  const [first] = content;
  const text = first?.type === 'text' ? first.text : undefined;
  const code = typeof error === 'string' && isErrorCode(error) ? error : 'INTERNAL';
  const said = typeof message === 'string' ? message : text;
  return new AppError(code, {
    ...(said === undefined ? {} : { message: said }),
    ...(isObject(data) ? { data } : {}),
  });
}

/** Creates the error of a caller that is over a rate limit. */
export function rateFault(retryAfterS: number): AppError {
  return new AppError('RATE_LIMITED', {
    message: `Rate limited: try again in ${retryAfterS} s.`,
    data: { retry_after_s: retryAfterS },
  });
}

interface Target extends Pick<HostingSkills, 'service' | 'views'>, Pick<Caller, 'principal'> {
  readonly grant?: Caller['grant'];
}

function findTarget(core: AgentCore, skill: string, caller: Caller): Target {
  const { hosting } = core;
  if (knows(core.service, skill)) return { ...core, principal: caller.principal };
  if (hosting === undefined || !knows(hosting.service, skill)) throw unknownSkill(core, skill);
  const { request } = caller;
  if (hosting.checkToken(request) !== undefined) {
    throw new AppError('UNAUTHORIZED', {
      message: `The skill ${skill} needs a token of the operator: Authorization: Bearer <token>.`,
      data: { received: 'no valid token', allowed: 'an operator token or one that it issued' },
    });
  }
  return { ...hosting, principal: hosting.principalOf(request), grant: hosting.grantOf?.(request) };
}

function knows({ tools, allTools = tools }: ToolService, skill: string): boolean {
  return allTools.some(({ name }) => name === skill);
}

function unknownSkill({ service }: AgentCore, skill: string): AppError {
  return new AppError('TOOL_UNKNOWN', {
    message: `No skill has the id ${JSON.stringify(skill)}. Send a text to find the right one.`,
    data: { received: skill, allowed: service.tools.map(({ name }) => name) },
  });
}

/** Creates the error of a task that has ended or is not known. */
export function unknownTask(taskId: string): AppError {
  return protocolFault('TASK_NOT_FOUND', {
    message:
      'No task has this id. An unpaid task expires after 15 minutes or with the server: send the ' +
      'request again. If you have paid, add the same payment: you are not charged twice.',
    received: taskId,
    allowed: 'the id of a job, or of a task that is not older',
  });
}
