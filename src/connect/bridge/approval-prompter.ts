import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isObject } from '../../domain/common/json.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type ApprovalAnswer, type ApprovalRequest, formatApprovalQuestion } from './approval.ts';
import type { ProgressReporter } from './progress-reporter.ts';

/** How long a person has to answer, in milliseconds. */
export const ANSWER_TIMEOUT_MS = 120 * SECOND_MS;
/** Interval of progress messages while a person decides; without them the client times out. */
const KEEPALIVE_MS = 10 * SECOND_MS;
/** Most unanswered questions of sessionless clients; the oldest are dropped. */
const QUESTIONS_MAX = 256;
const STATE_BYTES = 16;
const PAY_FIELD = 'pay';

/** The person's answer, or the result that makes the client ask the question. */
export type AskResult =
  | { readonly kind: 'answered'; readonly answer: ApprovalAnswer }
  | { readonly kind: 'forward'; readonly result: InputRequiredResult };

/** Asks the user of the MCP client for approval, if the client supports elicitation. */
export class ApprovalPrompter {
  readonly #answerMsMax: number;
  readonly #waiting = new Map<string, ApprovalRequest>();

  /** @param answerMsMax - Time limit for the answer, in milliseconds. */
  constructor(answerMsMax = ANSWER_TIMEOUT_MS) {
    this.#answerMsMax = answerMsMax;
  }

  /**
   * Asks a question. Waits for the answer in a session; without one, returns the result that the
   * client answers with a repeated call.
   */
  async ask(
    question: ApprovalRequest,
    {
      server,
      context,
      reporter,
    }: { server: Server; context: ServerContext; reporter: ProgressReporter },
  ): Promise<AskResult> {
    const isModern = context.mcpReq.envelope !== undefined;
    if (!canAsk(server, context)) return { kind: 'answered', answer: 'not_offered' };
    if (isModern) return { kind: 'forward', result: this.#forward(question) };
    reporter.say(`waiting for your answer: ${formatApprovalQuestion(question)}`);
    const keepalive = setInterval(() => reporter.say('waiting for your answer'), KEEPALIVE_MS);
    try {
      const { action, content } = await context.mcpReq.elicitInput(createForm(question), {
        timeout: this.#answerMsMax,
        signal: context.mcpReq.signal,
        relatedRequestId: context.mcpReq.id,
      });
      const isAccepted = action === 'accept' && content?.[PAY_FIELD] === true;
      return { kind: 'answered', answer: isAccepted ? 'accepted' : 'declined' };
    } catch {
      context.mcpReq.signal.throwIfAborted();
      return { kind: 'answered', answer: 'no_answer' };
    } finally {
      clearInterval(keepalive);
    }
  }

  /** Reads the answer in a sessionless client's repeated call; each answer is valid once. */
  readReturnedAnswer(
    context: ServerContext,
  ): { question: ApprovalRequest; answer: ApprovalAnswer } | undefined {
    const state = context.mcpReq.requestState();
    const question = typeof state === 'string' ? this.#waiting.get(state) : undefined;
    if (question === undefined) return undefined;
    this.#waiting.delete(String(state));
    const { inputResponses } = context.mcpReq;
    const isAccepted = acceptedContent(inputResponses, PAY_FIELD)?.[PAY_FIELD] === true;
    const isAnswered = inputResponse(inputResponses, PAY_FIELD).kind === 'elicit';
    if (isAccepted) return { question, answer: 'accepted' };
    return { question, answer: isAnswered ? 'declined' : 'no_answer' };
  }

  #forward(question: ApprovalRequest): InputRequiredResult {
    // The state is only a key to the question kept here: a client cannot forge an approval.
    const requestState = randomBytes(STATE_BYTES).toString('hex');
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= QUESTIONS_MAX && oldest !== undefined) this.#waiting.delete(oldest);
    this.#waiting.set(requestState, question);
    const inputRequests = { [PAY_FIELD]: inputRequired.elicit(createForm(question)) };
    return inputRequired({ inputRequests, requestState });
  }
}

function canAsk(server: Server, context: ServerContext): boolean {
  const { envelope } = context.mcpReq;
  const capabilities: unknown =
    envelope === undefined
      ? server.getClientCapabilities()
      : Reflect.get(envelope, CLIENT_CAPABILITIES_META_KEY);
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined;
  if (!isObject(elicitation)) return false;
  // A client that declares only the URL mode does not support forms.
  return elicitation['form'] !== undefined || elicitation['url'] === undefined;
}

function createForm(question: ApprovalRequest): ElicitRequestFormParams {
  const pay = {
    type: 'boolean',
    title: 'Pay',
    description: 'Yes pays for this call once.',
  } as const;
  return {
    message: formatApprovalQuestion(question),
    requestedSchema: { type: 'object', properties: { [PAY_FIELD]: pay }, required: [PAY_FIELD] },
  };
}
