import { z } from 'zod';
import { paramFault, protocolFault } from '../../domain/agent-protocol/fault.ts';
import { PAYMENT_KEYS } from '../../domain/agent-protocol/payment.ts';
import { ANSWER_FORM, SKILL_FORM } from '../../domain/agent-protocol/task.ts';
import {
  A2A_MODES,
  type ReceivedMessage,
  type SendMessage,
} from '../../domain/agent-protocol/wire.ts';
import { isObject } from '../../domain/common/json.ts';
import type { JobAnswer } from '../../domain/job/job.ts';
import type { PresentedPayment } from '../../domain/tool/tool.ts';
import type { OfferedCall } from './open-tasks.ts';

/** What a message asks for. */
export interface MessageContent {
  readonly call: OfferedCall | undefined;
  readonly answers: readonly JobAnswer[] | undefined;
  readonly text: string;
  /** At most one. */
  readonly payments: readonly PresentedPayment[];
  /** Whether the client declines the offer. */
  readonly isDeclined: boolean;
}

const Call = z.strictObject({
  skill: z.string().min(1).max(128),
  arguments: z.record(z.string(), z.unknown()).default({}),
});
const Answers = z.strictObject({
  answers: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(200),
        answer: z.union([z.string(), z.record(z.string(), z.json())]),
      }),
    )
    .min(1)
    .max(100),
});
const FORMS = `${SKILL_FORM} or ${ANSWER_FORM}`;
const DECLINED = 'payment-rejected';
const RECEIVED_CHARS_MAX = 200;

/**
 * Reads the parts and the payment of a message.
 *
 * @throws {AppError} A fault that names the part.
 */
export function readMessage({ parts, metadata = {} }: ReceivedMessage): MessageContent {
  const texts: string[] = [];
  const found: unknown[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.text !== undefined) texts.push(part.text);
    else if (part.data !== undefined) found.push(part.data);
    else {
      throw protocolFault('CONTENT_TYPE_NOT_SUPPORTED', {
        message: `\`message.parts[${index}]\` must have \`text\` or \`data\`.`,
        received: Object.keys(part),
        allowed: ['text', 'data'],
      });
    }
  }
  if (found.length > 1) {
    throw paramFault('message.parts', {
      message: `The message has ${found.length} data parts; one is allowed.`,
      received: found.length,
      allowed: 1,
    });
  }
  const payload = metadata[PAYMENT_KEYS.payload];
  const isDeclined = metadata[PAYMENT_KEYS.status] === DECLINED;
  if (parts.length === 0 && payload === undefined && !isDeclined) {
    throw paramFault('message.parts', {
      message: `The message has neither parts nor a payment. Send a text or ${FORMS}.`,
      received: 'nothing',
      allowed: FORMS,
    });
  }
  return {
    ...readData(found[0]),
    text: texts.join('\n'),
    payments: payload === undefined ? [] : [{ carrier: 'meta', value: payload }],
    isDeclined,
  };
}

/** @throws {AppError} if the client accepts none of the types that are sent. */
export function checkOutputModes({ configuration }: SendMessage): void {
  const { acceptedOutputModes: accepted } = configuration;
  const allowed: readonly string[] = [...A2A_MODES, '*/*', 'application/*', 'text/*'];
  const types = accepted.map((mode) => mode.split(';')[0]?.trim().toLowerCase() ?? '');
  if (types.length === 0 || types.some((type) => allowed.includes(type))) return;
  throw protocolFault('CONTENT_TYPE_NOT_SUPPORTED', {
    message:
      '`configuration.acceptedOutputModes` has none of the types that are sent: ' +
      `${A2A_MODES.join(', ')}.`,
    received: accepted,
    allowed: A2A_MODES,
  });
}

function readData(data: unknown): Pick<MessageContent, 'call' | 'answers'> {
  if (data === undefined) return { call: undefined, answers: undefined };
  const hasAnswers = isObject(data) && data['answers'] !== undefined;
  const parsed = (hasAnswers ? Answers : Call).safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = ['data', ...(issue?.path ?? [])].join('.');
    throw paramFault('message.parts', {
      message: `The data part is invalid at \`${path}\`: ${issue?.message}. Send ${FORMS}.`,
      received: JSON.stringify(data).slice(0, RECEIVED_CHARS_MAX),
      allowed: FORMS,
    });
  }
  if ('skill' in parsed.data) return { call: parsed.data, answers: undefined };
  const answers = parsed.data.answers.map(({ id: askId, answer }) => ({ askId, answer }));
  return { call: undefined, answers };
}
