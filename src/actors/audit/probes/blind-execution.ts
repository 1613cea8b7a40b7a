import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { evidenceOf, rpcEvidence } from '../../../domain/audit/evidence.ts';
import { pattern } from '../../../domain/audit/pattern.ts';
import { delaysFor } from '../../../domain/audit/probe/payloads.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { callable, callTool } from '../session/calling.ts';
import { hasRoom, makeProbe } from '../session/make-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { type Aim, aimed, aimsOf, makePayloadHead } from '../session/slots.ts';
import { type Means, tryAims } from '../session/try-aims.ts';

const REQUESTS_MAX = 100;
const AIMS_MAX = 8;
/** Delays of the first and second test in seconds, and the minimum observed share of them. */
const FIRST_SECONDS = 1;
const SECOND_SECONDS = 2;
const SHARE_MIN = 0.85;
/** Maximum control duration in milliseconds, and the number of control attempts. */
const CONTROL_MS_MAX = 500;
const CONTROLS = 3;
const NOISY = 'the tool is too slow for timing tests';
const WORDS = {
  field: pattern(
    'i',
    'command|cmd|shell|host|domain|file|name|query|filter|arg|target|address|',
    'path|branch|url|pattern|format|text|input|value|title',
  ),
  tool: /./,
};

/** Detects blind command execution by response times. */
export const blindExecution = makeProbe({
  probeId: 'blind-execution',
  version: 1,
  category: 'ASI05',
  mode: 'active',
  title: 'Texts of calls are run as commands, seen by the time taken',
  requestsMax: REQUESTS_MAX,
  totalMs: 4 * MINUTE_MS,
  look: async (session, focus) => {
    const aims = aimsOf(callable(session, focus), WORDS, AIMS_MAX);
    const reason = 'no callable tool accepts text';
    return await tryAims(session, aims, { requestsMax: REQUESTS_MAX, focus, reason, tryOne });
  },
});

async function tryOne(means: Means, one: Aim): Promise<Sighting | undefined> {
  for (const delay of delaysFor(makePayloadHead(means.session, one))) {
    if (!hasRoom(means.session, REQUESTS_MAX)) return undefined;
    const first = await send(means, one, delay(FIRST_SECONDS));
    if (!isLate(first, FIRST_SECONDS)) continue;
    // Slowness alone proves nothing: a zero delay must be fast, and twice the delay twice as slow.
    const control = await quietest(means, one, delay(0));
    if (control.ms > CONTROL_MS_MAX) {
      means.session.doubts.noteTool(one.tool.name, NOISY);
      continue;
    }
    const second = await send(means, one, delay(SECOND_SECONDS));
    if (isLate(second, SECOND_SECONDS)) return sighting(one, second, control);
  }
  return undefined;
}

/** Returns the fastest of several answers, because other load slows some of them. */
async function quietest(means: Means, one: Aim, text: string): Promise<RpcOutcome> {
  let best = await send(means, one, text);
  for (let time = 1; time < CONTROLS && best.ms > CONTROL_MS_MAX; time += 1) {
    const next = await send(means, one, text);
    if (next.ms < best.ms) best = next;
  }
  return best;
}

function sighting(one: Aim, seen: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title: `The text of "${one.slot.path.join('.')}" is run by a shell, unseen`,
    severity: 'critical',
    status: 'unreproduced',
    tool: one.tool.name,
    evidence: timed(seen),
    control: timed(control),
    remediation: 'Pass program arguments as a list, never through a shell.',
  };
}

function timed(outcome: RpcOutcome) {
  const { request, responseExcerpt } = rpcEvidence(outcome);
  return evidenceOf(request, `after ${outcome.ms} ms\n${responseExcerpt}`);
}

function isLate(outcome: RpcOutcome, seconds: number): boolean {
  return outcome.ms >= seconds * 1_000 * SHARE_MIN && outcome.kind !== 'broken';
}

async function send({ session, connection }: Means, one: Aim, text: string): Promise<RpcOutcome> {
  return await callTool(connection, one.tool.name, aimed(session, one, text), {
    deadlineMs: 6_000,
  });
}
