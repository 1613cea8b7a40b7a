import { paramFault, protocolFault } from '../../domain/agent-protocol/fault.ts';
import type { TaskPayment } from '../../domain/agent-protocol/payment.ts';
import {
  ANSWER_FORM,
  buildTask,
  resultParts,
  toArtifact,
  toTask,
} from '../../domain/agent-protocol/task.ts';
import {
  type A2aMessage,
  type A2aTask,
  isFinalState,
  type PushOrder,
  type ReceivedMessage,
  type SendMessage,
  type TaskState,
  toStatusUpdate,
} from '../../domain/agent-protocol/wire.ts';
import { AppError, type ErrorCode, isErrorCode } from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { createCapability } from '../../domain/common/id.ts';
import { isFinished, type JobAnswer, type JobState } from '../../domain/job/job.ts';
import type { PaymentRequired } from '../../domain/payment/payment.ts';
import { challengeResult } from '../mcp/call/challenge-result.ts';
import type { AgentCore, Caller } from './agent-core.ts';
import {
  callSkill,
  isJobSkill,
  resultFault,
  type SkillOutcome,
  unknownTask,
} from './call-skill.ts';
import { type OfferedCall, OPEN_TASK_MS, type OpenTask, type OpenTasks } from './open-tasks.ts';
import { checkOutputModes, type MessageContent, readMessage } from './read-message.ts';
import { suggestSkills } from './suggest-skills.ts';
import { readPaidTask } from './task-reader.ts';

/** What a message led to: an answer at once, or a task, with its job if it has one. */
export type Sent =
  | { readonly message: A2aMessage }
  | { readonly task: A2aTask; readonly job?: JobState };

/** Codes after which it is not certain that nothing is charged. */
const UNCERTAIN_CODES: readonly ErrorCode[] = ['INTERNAL', 'INVARIANT', 'JOB_UNKNOWN'];

/** Calls skills by messages: offers, pays and continues tasks. */
export class MessageSender {
  readonly #core: AgentCore;
  readonly #open: OpenTasks;

  constructor(core: AgentCore, open: OpenTasks) {
    this.#core = core;
    this.#open = open;
  }

  /**
   * Handles a message.
   *
   * @throws {AppError} A fault; nothing is charged then, unless its text says otherwise.
   */
  async send(params: SendMessage, caller: Caller): Promise<Sent> {
    checkOutputModes(params);
    const { message, configuration } = params;
    const { taskPushNotificationConfig: push } = configuration;
    const content = readMessage(message);
    const sent =
      message.taskId === undefined
        ? await this.#start(message, content, { caller, push })
        : await this.#continue(message.taskId, message, content, { caller, push });
    return sent;
  }

  async #start(
    message: ReceivedMessage,
    { call, answers, text, payments }: MessageContent,
    from: Sender,
  ): Promise<Sent> {
    if (answers !== undefined) {
      throw paramFault('message.taskId', {
        message: 'Answers need the `message.taskId` of the task that asked.',
        received: 'none',
        allowed: 'a task id',
      });
    }
    const { service, random } = this.#core;
    if (call === undefined) {
      return { message: await suggestSkills(service, text, createCapability('msg', random)) };
    }
    const outcome = await callSkill(this.#core, { call, payments }, from.caller);
    if (outcome.kind === 'result' && outcome.settlement === undefined) {
      return outcome.job === undefined
        ? { message: this.#answer(message, outcome) }
        : this.#showJob(outcome.job.jobId);
    }
    rejectOwnContext(message);
    if (outcome.kind === 'payment_required' && codeOf(outcome.required) === 'PAYMENT_PENDING') {
      // Its job has an id of its own, which no task could promise here.
      throw new AppError('PAYMENT_PENDING', { message: sentenceOf(outcome.required) });
    }
    const prefix = isJobSkill(this.#core, call.skill) ? 'job' : 'task';
    return this.#settle(
      this.#createTask(createCapability(prefix, random), call, from),
      outcome,
      from,
    );
  }

  async #continue(
    taskId: string,
    message: ReceivedMessage,
    content: MessageContent,
    from: Sender,
  ): Promise<Sent> {
    if (message.contextId !== undefined && message.contextId !== taskId) {
      throw paramFault('message.contextId', {
        message: '`message.contextId` is not the context of the task.',
        received: message.contextId,
        allowed: taskId,
      });
    }
    const job = await this.#core.service.jobs?.state(taskId);
    if (job !== undefined) return this.#continueJob(job, content, from);
    const open = this.#open.find(taskId, this.#core.clock.now());
    if (open !== undefined) return this.#continueOpen(open, content, from);
    const isPaid = await this.#core.service.jobs?.isOrderOf(taskId, content.payments);
    if (isPaid !== true) throw unknownTask(taskId);
    return { task: this.#build(taskId, 'TASK_STATE_WORKING', PENDING_TEXT, SUBMITTED) };
  }

  /** A repeated payment of a job changes nothing: the task is paid. */
  async #continueJob(
    job: JobState,
    { answers, payments }: MessageContent,
    { push }: Sender,
  ): Promise<Sent> {
    const { jobId } = job;
    if (payments.length === 0) {
      await this.#core.service.jobs?.supply(jobId, requireAnswers(job, answers));
    }
    const sent = await this.#showJob(jobId);
    if (push !== undefined) await this.#addPush(jobId, sent.task, push);
    return sent;
  }

  async #continueOpen(open: OpenTask, content: MessageContent, from: Sender): Promise<Sent> {
    const { payments, call, isDeclined } = content;
    const key = payments.length === 0 ? undefined : hashJson(payments);
    if (isFinalState(open.shown.status.state)) {
      if (key !== undefined && key === open.paidBy) return { task: open.shown };
      throw protocolFault('UNSUPPORTED_OPERATION', {
        message: 'The task has ended. Send a new message without taskId. You are not charged.',
        received: open.shown.status.state,
      });
    }
    if (call !== undefined && hashJson(call) !== hashJson(open.call)) {
      throw paramFault('message.parts', {
        message:
          'The data part differs from the call that the task offers. Send it without taskId.',
        received: call.skill,
        allowed: `${open.call.skill} with the same arguments, or no data part`,
      });
    }
    if (isDeclined && open.paidBy === undefined) return { task: this.cancel(open) };
    if (key === undefined) return { task: open.shown };
    if (open.paidBy !== undefined && open.paidBy !== key) {
      throw new AppError('PAYMENT_CONFLICT', {
        message:
          'Another payment of this task is being processed. You are not charged for this one.',
        data: { received: 'a second payment', allowed: 'the same payment again' },
      });
    }
    open.paidBy = key;
    const { taskId } = open;
    const jobId = isJobSkill(this.#core, open.call.skill) ? { jobId: taskId } : {};
    const outcome = await callSkill(
      this.#core,
      { call: open.call, payments, ...jobId },
      from.caller,
    );
    return this.#settle(open, outcome, from);
  }

  /** Ends a task that was not paid. */
  cancel(open: OpenTask): A2aTask {
    const text = 'The task was canceled before it was paid. You were not charged.';
    const shown = this.#build(open.taskId, 'TASK_STATE_CANCELED', text, { status: 'rejected' });
    this.#open.finish(open, shown);
    return shown;
  }

  /** Turns the outcome of a priced call into the state of its task. */
  async #settle(open: OpenTask, outcome: SkillOutcome, { push }: Sender): Promise<Sent> {
    const { taskId, call } = open;
    if (outcome.kind === 'payment_required') {
      this.#offer(open, outcome);
      if (push !== undefined) await this.#addPush(taskId, open.shown, push);
      this.#keep(open, open.paidBy !== undefined);
      return { task: open.shown };
    }
    const { result, settlement, job } = outcome;
    if (job !== undefined) {
      // A payment that was used before has the job of its first call.
      if (job.jobId === taskId) this.#open.remove(taskId);
      else delete open.paidBy;
      const sent = await this.#showJob(job.jobId);
      if (push !== undefined) await this.#addPush(job.jobId, sent.task, push);
      this.#core.push?.follow(job.jobId);
      return sent;
    }
    if (settlement === undefined) {
      const error = resultFault(result);
      const isCertain =
        !isJobSkill(this.#core, call.skill) && !UNCERTAIN_CODES.includes(error.code);
      if (isCertain) delete open.paidBy;
      throw error;
    }
    const state = result.isError === true ? 'TASK_STATE_FAILED' : 'TASK_STATE_COMPLETED';
    const text = result.isError === true ? resultFault(result).message : 'The result is attached.';
    const task = this.#build(taskId, state, text, { status: 'completed', settlement });
    this.#keep(open, true);
    this.#open.finish(open, { ...task, artifacts: [toArtifact(taskId, result)] });
    return { task: open.shown };
  }

  #offer(open: OpenTask, outcome: Extract<SkillOutcome, { readonly kind: 'payment_required' }>) {
    const { required, settlement } = outcome;
    const code = codeOf(required);
    const { taskId } = open;
    if (code === 'PAYMENT_PENDING') {
      open.shown = this.#build(taskId, 'TASK_STATE_WORKING', PENDING_TEXT, SUBMITTED);
      return;
    }
    // The payment is refused for certain, so another one may pay.
    delete open.paidBy;
    const payment: TaskPayment =
      code === undefined
        ? { status: 'required', required }
        : { status: 'failed', required, code, settlement };
    const text = sentenceOf(required);
    open.shown = this.#build(taskId, 'TASK_STATE_INPUT_REQUIRED', text, payment);
  }

  #createTask(taskId: string, call: OfferedCall, { caller }: Sender): OpenTask {
    const now = this.#core.clock.now();
    return {
      taskId,
      network: caller.network,
      call,
      expiresAt: now + OPEN_TASK_MS,
      bytes: Buffer.byteLength(JSON.stringify(call)),
      shown: this.#build(taskId, 'TASK_STATE_SUBMITTED', 'Received.'),
    };
  }

  /**
   * Keeps a task under its id. Once its money may have moved, the caller gets the task even if
   * there is no room for it.
   *
   * @throws {AppError} `OVERLOADED` for a task that nobody has paid.
   */
  #keep(open: OpenTask, isCharged: boolean): void {
    const now = this.#core.clock.now();
    if (this.#open.find(open.taskId, now) !== undefined) return;
    try {
      this.#open.add(open, now);
    } catch (thrown) {
      if (!isCharged) throw thrown;
    }
  }

  async #showJob(jobId: string): Promise<{ readonly task: A2aTask; readonly job: JobState }> {
    const found = await readPaidTask(this.#core.service.jobs, jobId);
    if (found === undefined) throw unknownTask(jobId);
    return found;
  }

  async #addPush(taskId: string, task: A2aTask, order: PushOrder): Promise<void> {
    const { push } = this.#core;
    if (push === undefined) throw pushUnsupported();
    await push.add(taskId, order, toStatusUpdate(task));
  }

  #answer({ contextId }: ReceivedMessage, outcome: SkillOutcome): A2aMessage {
    if (outcome.kind !== 'result') throw new AppError('INVARIANT', { message: 'a free answer' });
    if (outcome.result.isError === true) throw resultFault(outcome.result);
    return {
      messageId: createCapability('msg', this.#core.random),
      role: 'ROLE_AGENT',
      ...(contextId === undefined ? {} : { contextId }),
      parts: resultParts(outcome.result),
    };
  }

  #build(taskId: string, state: TaskState, text: string, payment?: TaskPayment): A2aTask {
    return buildTask({ taskId, state, text, at: this.#core.clock.now(), payment });
  }
}

/** @throws {AppError} A fault if a job takes no answers now, or none were sent. */
function requireAnswers(job: JobState, answers: MessageContent['answers']): readonly JobAnswer[] {
  if (isFinished(job)) {
    throw protocolFault('UNSUPPORTED_OPERATION', {
      message: 'The task has ended and takes no more messages. Send a new one without taskId.',
      received: toTask(job).status.state,
    });
  }
  const isAsking = job.status === 'needs_input';
  if (isAsking && answers !== undefined) return answers;
  throw paramFault('message.parts', {
    message: isAsking
      ? 'The task waits for the answers to its questions.'
      : 'The task is running and asks nothing. Read it with GetTask or SubscribeToTask.',
    received: answers === undefined ? 'no answers' : 'answers',
    allowed: isAsking ? ANSWER_FORM : 'nothing now',
  });
}

/** Creates the error of a server without push notifications. */
export function pushUnsupported(): AppError {
  return protocolFault('PUSH_NOTIFICATION_NOT_SUPPORTED', {
    message: 'This server has no push notifications. Use SubscribeToTask or GetTask.',
  });
}

interface Sender {
  readonly caller: Caller;
  readonly push: PushOrder | undefined;
}

const PENDING_TEXT =
  'Your payment is still being settled: do not pay again. Repeat this message, or read the task.';
const SUBMITTED = { status: 'submitted' } as const;

/** A context holds one task, so a new task cannot join one that exists. */
function rejectOwnContext({ contextId }: ReceivedMessage): void {
  if (contextId === undefined) return;
  throw paramFault('message.contextId', {
    message: 'Leave out `message.contextId`: each paid task has a context of its own.',
    received: contextId,
    allowed: 'nothing, or the contextId of the task in `message.taskId`',
  });
}

function codeOf({ code }: PaymentRequired): ErrorCode | undefined {
  return typeof code === 'string' && isErrorCode(code) ? code : undefined;
}

function sentenceOf(required: PaymentRequired): string {
  const [first] = challengeResult(required).content;
  return first?.type === 'text' ? first.text : required.error;
}
