import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { formatOutcome } from '../../../domain/audit/evidence.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { isSuccess, resultText } from '../../../domain/audit/probe/tool-result.ts';
import { booleanHints, findDestructiveVerb } from '../../../domain/audit/probe/tool-verbs.ts';
import { sha256Hex } from '../../../domain/common/hash.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import {
  buildMessageRequest,
  findEndpoint,
  type MessageEndpoint,
  readMessageAnswer,
} from '../../../domain/injection/a2a-message.ts';
import type { TargetResponse } from '../../../domain/injection/trial.ts';
import { type Aim, createAimedArguments, findAims } from '../session/aims.ts';
import { callableTools, callTool, readOnlyTools, withConnection } from '../session/call-tool.ts';
import type { Focus } from '../session/create-probe.ts';
import type { GatedConnection } from '../session/gate.ts';
import type { ProbeSession } from '../session/probe.ts';

/** Maximum number of places per target that get the corpus. */
export const PLACES_MAX = 3;
/** Minimum text length of a place, in characters; no corpus text is longer. */
export const PLACE_CHARS_MIN = 1_000;
/** Answer timeout in milliseconds; long, because a model may generate the answer. */
const ANSWER_MS = 30 * SECOND_MS;
/** Minimum rank, by name or description, at which a field counts as free text. */
const RANK_MIN = 2;
const WORDS = {
  field: joinPattern(
    'i',
    'question|message|prompt|query|text|content|input|instruction|task|request|body|document|',
    'note|comment|mail|article|page|html|markdown|review|description|topic|feedback|ticket|',
    'transcript|report|letter|data|record',
  ),
  tool: joinPattern(
    'i',
    'ask|chat|answer|assist|agent|summar|translat|review|analy|support|reply|respond|classif|',
    'extract|explain|rewrite|research|triage|screen',
  ),
};

/** A place of a target that accepts free text. */
export interface TextPlace {
  /** `tool.field`, or `message`. */
  readonly name: string;
  readonly tool?: string;
  /** Sends a text to the place. Failures are returned as values. */
  send(text: string): Promise<TargetResponse>;
}

/** The text places of a target, or the reason why there are none. */
export type TextPlaces =
  | { readonly places: readonly TextPlace[] }
  | { readonly places: readonly []; readonly reason: string };

/**
 * Runs `work` with the text places of a target: fields of non-destructive tools, readers first, or
 * the messages of an agent.
 */
export async function withTextPlaces<T>(
  session: ProbeSession,
  focus: Focus | undefined,
  work: (found: TextPlaces) => Promise<T>,
): Promise<T> {
  if (session.recon.kind === 'a2a_card') return await work(createAgentPlaces(session));
  const aims = selectFields(session, focus);
  if (aims.length === 0) {
    const reason = 'no callable tool accepts free text';
    return await work({ places: [], reason });
  }
  return await withConnection(session, (connection) =>
    work({ places: aims.map((aim) => createToolPlace(session, connection, aim)) }),
  );
}

function selectFields(session: ProbeSession, focus: Focus | undefined): readonly Aim[] {
  const reading = readOnlyTools(session, focus);
  const acting = callableTools(session, focus).filter(
    (tool) => !reading.includes(tool) && !isDestructive(tool),
  );
  return [reading, acting]
    .flatMap((tools) => findAims(tools, WORDS, PLACES_MAX * 4))
    .filter((aim) => aim.rank >= RANK_MIN && takesAnyText(aim))
    .slice(0, PLACES_MAX);
}

function isDestructive(tool: Definition): boolean {
  return booleanHints(tool)['destructiveHint'] === true || findDestructiveVerb(tool) !== undefined;
}

function takesAnyText({ slot }: Aim): boolean {
  const { pattern: rule, format, maxLength } = slot.schema;
  if (rule !== undefined || format !== undefined) return false;
  return typeof maxLength !== 'number' || maxLength >= PLACE_CHARS_MIN;
}

function createToolPlace(session: ProbeSession, connection: GatedConnection, aim: Aim): TextPlace {
  const { tool, slot } = aim;
  return {
    name: `${tool.name}.${slot.path.join('.')}`,
    tool: tool.name,
    send: async (text) => {
      const values = createAimedArguments(session, aim, text);
      return toAnswer(await callTool(connection, tool.name, values, { deadlineMs: ANSWER_MS }));
    },
  };
}

function toAnswer(outcome: RpcOutcome): TargetResponse {
  const told = { request: outcome.sent, response: formatOutcome(outcome) };
  if (outcome.kind === 'result' || outcome.kind === 'error') {
    const kind = isSuccess(outcome) ? 'answered' : 'refused';
    return { ...told, kind, text: resultText(outcome) };
  }
  return { ...told, kind: 'unheard', text: '' };
}

function createAgentPlaces(session: ProbeSession): TextPlaces {
  const { card, origin } = session.recon;
  const endpoint = card === null ? { reason: 'it has no agent card' } : findEndpoint(card, origin);
  if ('reason' in endpoint) return { places: [], reason: endpoint.reason };
  return { places: [{ name: 'message', send: (text) => sendMessage(session, endpoint, text) }] };
}

async function sendMessage(
  { target }: ProbeSession,
  { path, dialect }: MessageEndpoint,
  text: string,
): Promise<TargetResponse> {
  const id = sha256Hex(text).slice(0, 32);
  const body = JSON.stringify(buildMessageRequest(text, id, dialect));
  const answer = await target.exchange?.({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
    deadlineMs: ANSWER_MS,
  });
  if (answer === undefined) return { kind: 'unheard', text: '', request: body, response: '' };
  const response =
    answer.kind === 'answer'
      ? `HTTP ${answer.status}\n\n${answer.body}`
      : `no answer: ${answer.kind}`;
  const told = { request: answer.sent, response };
  const heard = answer.kind === 'answer' ? readMessageAnswer(answer.body) : undefined;
  if (heard === undefined) return { ...told, kind: 'unheard', text: '' };
  return { ...told, kind: heard.isError ? 'refused' : 'answered', text: heard.text };
}
