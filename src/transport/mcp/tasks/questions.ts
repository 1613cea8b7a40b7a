import { isObject, type JsonObject } from '../../../domain/common/json.ts';
import type { JobAnswer, JobQuestion } from '../../../domain/job/job.ts';

/** Longest answer requested from a client's model, in tokens. */
const ANSWER_TOKENS_MAX = 4_096;

/** A request to a client, without its JSON-RPC envelope. */
export interface Question {
  readonly method: 'sampling/createMessage' | 'elicitation/create';
  readonly params: Readonly<Record<string, unknown>>;
}

type Capabilities = Readonly<Record<string, unknown>> | undefined;

/** Returns whether a client supports any kind of question. */
export function supportsQuestions(capabilities: Capabilities): boolean {
  return isObject(capabilities?.['sampling']) || supportsForms(capabilities);
}

/** Builds a client request for a job's question: sampling if supported, else elicitation. */
export function buildQuestion(
  ask: JobQuestion,
  capabilities: Capabilities,
  fault?: string,
): Question | undefined {
  const retryNote = fault === undefined ? '' : `\n\nYour last answer was rejected. ${fault}`;
  if (ask.isForm === true) return buildForm(ask, capabilities, retryNote);
  const form = `Answer with JSON that fits this schema: ${JSON.stringify(ask.schema)}`;
  if (isObject(capabilities?.['sampling'])) {
    const text = `${ask.prompt}\n\n${form}${retryNote}`;
    const messages = [{ role: 'user', content: { type: 'text', text } }];
    const params = { messages, systemPrompt: ask.system, maxTokens: ANSWER_TOKENS_MAX };
    return { method: 'sampling/createMessage', params };
  }
  if (!supportsForms(capabilities)) return undefined;
  const message = `${ask.system}\n\n${ask.prompt}${retryNote}`;
  const answer = { type: 'string', title: 'Answer', description: form };
  const requestedSchema = { type: 'object', properties: { answer }, required: ['answer'] };
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
}

/**
 * Returns the answer in a client's response. `undefined` if it declined or the response is invalid.
 */
export function parseAnswer(
  { isForm = false }: Pick<JobQuestion, 'isForm'>,
  response: unknown,
): JobAnswer['answer'] | undefined {
  if (!isObject(response)) return undefined;
  const { action, content } = response;
  if (isForm || action !== undefined) {
    if (action !== 'accept' || !isObject(content)) return undefined;
    if (isForm) return content as JsonObject;
    const { answer } = content;
    return typeof answer === 'string' ? answer : undefined;
  }
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

function buildForm(
  ask: JobQuestion,
  capabilities: Capabilities,
  again: string,
): Question | undefined {
  if (!supportsForms(capabilities)) return undefined;
  const message = `${ask.system}\n\n${ask.prompt}${again}`;
  const params = { mode: 'form', message, requestedSchema: ask.schema };
  return { method: 'elicitation/create', params };
}

// A client of 2025-11-25 that names no elicitation mode supports forms.
function supportsForms(capabilities: Capabilities): boolean {
  const elicitation = capabilities?.['elicitation'];
  if (!isObject(elicitation)) return false;
  return isObject(elicitation['form']) || elicitation['url'] === undefined;
}
