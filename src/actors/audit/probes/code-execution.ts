import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { rpcEvidence } from '../../../domain/audit/evidence.ts';
import { pattern } from '../../../domain/audit/pattern.ts';
import {
  arithmeticFor,
  codeFor,
  conditionsFor,
  type Payload,
  shellFor,
} from '../../../domain/audit/probe/payloads.ts';
import { answerText, isDone } from '../../../domain/audit/probe/tool-answer.ts';
import { wordsAbout } from '../../../domain/audit/probe/tool-nature.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { callable, callTool } from '../session/calling.ts';
import { hasRoom, makeProbe } from '../session/make-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { type Aim, aimed, aimsOf, makePayloadHead } from '../session/slots.ts';
import { type Means, tryAims } from '../session/try-aims.ts';

const REQUESTS_MAX = 130;
const AIMS_MAX = 12;
const WORDS = {
  field: pattern(
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
export const codeExecution = makeProbe({
  probeId: 'code-execution',
  version: 2,
  category: 'ASI05',
  mode: 'active',
  title: 'Texts of calls are run as code, with a visible result',
  requestsMax: REQUESTS_MAX,
  totalMs: 3 * MINUTE_MS,
  look: async (session, focus) => {
    const aims = aimsOf(callable(session, focus), WORDS, AIMS_MAX);
    const reason = 'no callable tool accepts text';
    return await tryAims(session, aims, { requestsMax: REQUESTS_MAX, focus, reason, tryOne });
  },
});

async function tryOne(means: Means, one: Aim): Promise<Sighting | undefined> {
  for (const payload of payloadsFor(means, one)) {
    if (!hasRoom(means.session, REQUESTS_MAX)) return undefined;
    const outcome = await send(means, one, payload.text);
    if (!showsEffect(outcome, payload)) continue;
    const control = await send(means, one, payload.control);
    if (answerText(control).includes(payload.sign)) continue;
    return sighting(one, outcome, control);
  }
  return await tryConditions(means, one);
}

/** Nested evaluation may show only whether a condition holds. */
async function tryConditions(means: Means, one: Aim): Promise<Sighting | undefined> {
  for (const { holds, holdsToo, fails } of conditionsFor(makePayloadHead(means.session, one))) {
    if (!hasRoom(means.session, REQUESTS_MAX)) return undefined;
    const first = await send(means, one, holds);
    if (!isDone(first)) continue;
    const control = await send(means, one, fails);
    if (!isDone(control) || plain(control, fails) === plain(first, holds)) continue;
    const second = await send(means, one, holdsToo);
    if (plain(second, holdsToo) !== plain(first, holds)) continue;
    return sighting(one, first, control);
  }
  return undefined;
}

function plain(outcome: RpcOutcome, sent: string): string {
  return answerText(outcome).replaceAll(sent, '');
}

function sighting(one: Aim, outcome: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title: `The text of "${one.slot.path.join('.')}" is run`,
    severity: 'critical',
    status: 'unreproduced',
    tool: one.tool.name,
    evidence: rpcEvidence(outcome),
    control: rpcEvidence(control),
    remediation:
      'Never pass call texts to an interpreter or a shell. Parse what is allowed, and ' +
      'pass program arguments as a list.',
  };
}

/** Arithmetic results are expected from a calculator, so only code payloads are tried there. */
function payloadsFor({ session }: Means, one: Aim): readonly Payload[] {
  const about = wordsAbout(one.tool);
  const head = makePayloadHead(session, one);
  const rest = [...shellFor(head), ...codeFor(head)];
  if (CALCULATES.test(about) || RUNS_CODE.test(about)) return rest.toReversed();
  return [...arithmeticFor(head), ...rest];
}

async function send({ session, connection }: Means, one: Aim, text: string): Promise<RpcOutcome> {
  return await callTool(connection, one.tool.name, aimed(session, one, text), {
    deadlineMs: 5_000,
  });
}

function showsEffect(outcome: RpcOutcome, { sign, text }: Payload): boolean {
  const said = answerText(outcome).replaceAll(',', '').replaceAll(text, '');
  return !text.includes(sign) && said.includes(sign);
}
