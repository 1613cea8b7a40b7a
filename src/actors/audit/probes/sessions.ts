import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createEvidence, createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { findGuessableReason } from '../../../domain/audit/probe/session-guess.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { createProbe } from '../session/create-probe.ts';
import type { Observation, ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 60;
/** Number of sessions whose ids are compared. */
const SAMPLES = 4;
const NO_SESSIONS = {
  outcome: 'not_applicable',
  reason: 'the target issues no session ids',
} as const;

/** Detects session ids that can be predicted from others. */
export const sessionGuessing = createProbe({
  probeId: 'session-guessing',
  version: 1,
  category: 'ASI07',
  mode: 'active',
  title: 'Ids of sessions can be guessed',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session) => {
    const ids: string[] = [];
    for (let count = 0; count < SAMPLES; count += 1) {
      const { sessionId } = await session.target.connect();
      if (sessionId === null) return NO_SESSIONS;
      ids.push(sessionId);
    }
    const guess = findGuessableReason(ids);
    const findings: Sighting[] = [];
    if (guess !== undefined) {
      findings.push({
        title: 'Ids of sessions can be guessed',
        severity: 'high',
        status: 'unreproduced',
        evidence: createEvidence(
          `initialize, ${SAMPLES} times`,
          `${guess.why}\n${ids.map((id) => truncateId(id)).join('\n')}`,
        ),
        control: null,
        remediation: 'Generate ids with at least 128 bits from a secure random source.',
      });
    }
    return { outcome: 'looked', subjects: ['mcp-session-id'], findings };
  },
});

/** Detects servers that accept session ids which the caller chose or invented. */
export const sessionFixation = createProbe({
  probeId: 'session-fixation',
  version: 1,
  category: 'ASI07',
  mode: 'active',
  title: 'Ids of sessions can be chosen by the caller',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session) => {
    const own = await session.target.connect();
    if (own.sessionId === null) return NO_SESSIONS;
    const control = await own.request('tools/list', {});
    const findings = [
      ...(await testChosenId(session, control)),
      ...(await testInventedId(session, { control, like: own.sessionId })),
    ];
    return { outcome: 'looked', subjects: ['mcp-session-id'], findings } satisfies Observation;
  },
});

/** Tests whether an id sent with `initialize` becomes the session id. */
async function testChosenId(
  session: ProbeSession,
  control: RpcOutcome,
): Promise<readonly Sighting[]> {
  const wanted = session.canary('chosen-session');
  const begun = await session.target
    .connect({ headers: { 'mcp-session-id': wanted } })
    .catch(() => undefined);
  if (begun === undefined) return [];
  const adopted = await session.target.connect({ sessionId: wanted });
  const outcome = await adopted.request('tools/list', {});
  if (begun.sessionId !== wanted && outcome.kind !== 'result') return [];
  return [createSighting('A session takes the id that its caller chose', outcome, control)];
}

/** Tests whether an id that was never issued is accepted. */
async function testInventedId(
  session: ProbeSession,
  { control, like }: { readonly control: RpcOutcome; readonly like: string },
): Promise<readonly Sighting[]> {
  const canary = session.canary('unknown-session');
  const sameShape = like.replace(/[0-9a-z]/gi, (letter, at: number) =>
    /\d/.test(letter) ? String((Number(letter) + at + 3) % 10) : letter === 'a' ? 'b' : 'a',
  );
  for (const sessionId of [canary, sameShape]) {
    const connection = await session.target.connect({ sessionId });
    const outcome = await connection.request('tools/list', {});
    if (outcome.kind === 'result') {
      return [createSighting('An id that was never given is served', outcome, control)];
    }
  }
  return [];
}

function createSighting(title: string, outcome: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title,
    severity: 'high',
    status: 'unreproduced',
    evidence: createRpcEvidence(outcome),
    control: createRpcEvidence(control),
    remediation: 'Generate session ids only on the server, and answer 404 to all others.',
  };
}

/** Session ids are capabilities of the target, so they are published truncated. */
function truncateId(id: string): string {
  return id.length <= 8 ? id : `${id.slice(0, 6)}… (${id.length} characters)`;
}
