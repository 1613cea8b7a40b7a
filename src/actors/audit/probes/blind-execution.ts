import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createEvidence, createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import { delayPayloads } from '../../../domain/audit/probe/payloads.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { type Aim, createAimedArguments, createPayloadHead, findAims } from '../session/aims.ts';
import { callableTools, callTool } from '../session/call-tool.ts';
import { createProbe, hasBudget } from '../session/create-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { type AimDeps, tryAims } from '../session/try-aims.ts';

const REQUESTS_MAX = 100;
const AIMS_MAX = 8;
/** Delays of the first and second test in seconds, and the minimum observed share of them. */
const FIRST_SECONDS = 1;
const SECOND_SECONDS = 2;
const SHARE_MIN = 0.85;
/** Maximum control duration in milliseconds, and the number of control attempts. */
const CONTROL_MS_MAX = 500;
const CONTROLS = 3;
const TOO_SLOW = 'the tool is too slow for timing tests';
const WORDS = {
  field: joinPattern(
    'i',
    'command|cmd|shell|host|domain|file|name|query|filter|arg|target|address|',
    'path|branch|url|pattern|format|text|input|value|title',
  ),
  tool: /./,
};

/** Detects blind command execution by response times. */
export const blindExecution = createProbe({
  probeId: 'blind-execution',
  version: 1,
  category: 'ASI05',
  mode: 'active',
  title: 'Texts of calls are run as commands, seen by the time taken',
  requestsMax: REQUESTS_MAX,
  totalMs: 4 * MINUTE_MS,
  look: async (session, focus) => {
    const aims = findAims(callableTools(session, focus), WORDS, AIMS_MAX);
    const reason = 'no callable tool accepts text';
    return await tryAims(session, aims, { requestsMax: REQUESTS_MAX, focus, reason, tryOne });
  },
});

async function tryOne(means: AimDeps, one: Aim): Promise<Sighting | undefined> {
  for (const delay of delayPayloads(createPayloadHead(means.session, one))) {
    if (!hasBudget(means.session, REQUESTS_MAX)) return undefined;
    const first = await send(means, one, delay(FIRST_SECONDS));
    if (!isLate(first, FIRST_SECONDS)) continue;
    // Slowness alone proves nothing: a zero delay must be fast, and twice the delay twice as slow.
    const control = await fastestAnswer(means, one, delay(0));
    if (control.ms > CONTROL_MS_MAX) {
      means.session.doubts.addTool(one.tool.name, TOO_SLOW);
      continue;
    }
    const second = await send(means, one, delay(SECOND_SECONDS));
    if (isLate(second, SECOND_SECONDS)) return createSighting(one, second, control);
  }
  return undefined;
}

/** Returns the fastest of several answers, because other load slows some of them. */
async function fastestAnswer(means: AimDeps, one: Aim, text: string): Promise<RpcOutcome> {
  let best = await send(means, one, text);
  for (let time = 1; time < CONTROLS && best.ms > CONTROL_MS_MAX; time += 1) {
    const next = await send(means, one, text);
    if (next.ms < best.ms) best = next;
  }
  return best;
}

function createSighting(one: Aim, seen: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title: `The text of "${one.slot.path.join('.')}" is run by a shell, unseen`,
    severity: 'critical',
    status: 'unreproduced',
    tool: one.tool.name,
    evidence: timedEvidence(seen),
    control: timedEvidence(control),
    remediation: 'Pass program arguments as a list, never through a shell.',
  };
}

function timedEvidence(outcome: RpcOutcome) {
  const { request, responseExcerpt } = createRpcEvidence(outcome);
  return createEvidence(request, `after ${outcome.ms} ms\n${responseExcerpt}`);
}

function isLate(outcome: RpcOutcome, seconds: number): boolean {
  return outcome.ms >= seconds * 1_000 * SHARE_MIN && outcome.kind !== 'broken';
}

async function send({ session, connection }: AimDeps, one: Aim, text: string): Promise<RpcOutcome> {
  return await callTool(connection, one.tool.name, createAimedArguments(session, one, text), {
    deadlineMs: 6_000,
  });
}
