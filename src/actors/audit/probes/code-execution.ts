import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import {
  arithmeticPayloads,
  codePayloads,
  conditionPayloads,
  type Payload,
  shellPayloads,
} from '../../../domain/audit/probe/payloads.ts';
import { isSuccess, resultText } from '../../../domain/audit/probe/tool-result.ts';
import { describeTool } from '../../../domain/audit/probe/tool-verbs.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { type Aim, createAimedArguments, createPayloadHead, findAims } from '../session/aims.ts';
import { callableTools, callTool } from '../session/call-tool.ts';
import { createProbe, hasBudget } from '../session/create-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { type AimDeps, tryAims } from '../session/try-aims.ts';

const REQUESTS_MAX = 130;
const AIMS_MAX = 12;
const WORDS = {
  field: joinPattern(
    'i',
    'expr|formula|code|script|command|cmd|shell|query|filter|template|calc|host|',
    'domain|file|name|format|arg|text|value|input|pattern|message|rule|condition|',
    'address|title|path|body|url',
  ),
  tool: /./,
};
const CALCULATES = /calcul|arithmet|\bmath|expression|formula|evaluat|comput|\bsum\b|equation/i;
const RUNS_CODE =
  /\b(run|execute|eval)\w{0,20}\b.{0,40}\b(code|script|python|javascript|command|shell)/i;

/** Detects call texts that are run as an expression, as code, or by a shell. */
export const codeExecution = createProbe({
  probeId: 'code-execution',
  version: 2,
  category: 'ASI05',
  mode: 'active',
  title: 'Texts of calls are run as code, with a visible result',
  requestsMax: REQUESTS_MAX,
  totalMs: 3 * MINUTE_MS,
  look: async (session, focus) => {
    const aims = findAims(callableTools(session, focus), WORDS, AIMS_MAX);
    const reason = 'no callable tool accepts text';
    return await tryAims(session, aims, { requestsMax: REQUESTS_MAX, focus, reason, tryOne });
  },
});

async function tryOne(means: AimDeps, one: Aim): Promise<Sighting | undefined> {
  for (const payload of createPayloads(means, one)) {
    if (!hasBudget(means.session, REQUESTS_MAX)) return undefined;
    const outcome = await send(means, one, payload.text);
    if (!showsEffect(outcome, payload)) continue;
    const control = await send(means, one, payload.control);
    if (resultText(control).includes(payload.sign)) continue;
    return createSighting(one, outcome, control);
  }
  return await tryConditions(means, one);
}

/** Nested evaluation may show only whether a condition holds. */
async function tryConditions(means: AimDeps, one: Aim): Promise<Sighting | undefined> {
  for (const { holds, holdsToo, fails } of conditionPayloads(
    createPayloadHead(means.session, one),
  )) {
    if (!hasBudget(means.session, REQUESTS_MAX)) return undefined;
    const first = await send(means, one, holds);
    if (!isSuccess(first)) continue;
    const control = await send(means, one, fails);
    if (!isSuccess(control) || withoutSent(control, fails) === withoutSent(first, holds)) continue;
    const second = await send(means, one, holdsToo);
    if (withoutSent(second, holdsToo) !== withoutSent(first, holds)) continue;
    return createSighting(one, first, control);
  }
  return undefined;
}

function withoutSent(outcome: RpcOutcome, sent: string): string {
  return resultText(outcome).replaceAll(sent, '');
}

function createSighting(one: Aim, outcome: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title: `The text of "${one.slot.path.join('.')}" is run`,
    severity: 'critical',
    status: 'unreproduced',
    tool: one.tool.name,
    evidence: createRpcEvidence(outcome),
    control: createRpcEvidence(control),
    remediation:
      'Never pass call texts to an interpreter or a shell. Parse what is allowed, and ' +
      'pass program arguments as a list.',
  };
}

/** Arithmetic results are expected from a calculator, so only code payloads are tried there. */
function createPayloads({ session }: AimDeps, one: Aim): readonly Payload[] {
  const about = describeTool(one.tool);
  const head = createPayloadHead(session, one);
  const rest = [...shellPayloads(head), ...codePayloads(head)];
  if (CALCULATES.test(about) || RUNS_CODE.test(about)) return rest.toReversed();
  return [...arithmeticPayloads(head), ...rest];
}

async function send({ session, connection }: AimDeps, one: Aim, text: string): Promise<RpcOutcome> {
  return await callTool(connection, one.tool.name, createAimedArguments(session, one, text), {
    deadlineMs: 5_000,
  });
}

function showsEffect(outcome: RpcOutcome, { sign, text }: Payload): boolean {
  const said = resultText(outcome).replaceAll(',', '').replaceAll(text, '');
  return !text.includes(sign) && said.includes(sign);
}
