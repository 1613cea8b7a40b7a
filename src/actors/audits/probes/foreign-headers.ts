import { rawEvidence } from '../../../domain/audit/evidence.ts';
import { initializeBody, JSON_HEADERS } from '../../../domain/audit/raw-messages.ts';
import type { RawAnswer } from '../../../domain/ports/audit-target.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { makeProbe, type ProbePlan } from '../make-probe.ts';
import type { Observation, ProbeSession, Sighting } from '../probe.ts';

const REQUESTS_MAX = 16;
/** A host that is nobody's (RFC 2606). */
const FOREIGN = 'attacker.example';

/** Looks whether a page of another site could call: any value of `Origin` is let in. */
export const foreignOrigin = makeProbe({
  probeId: 'foreign-origin',
  version: 1,
  category: 'ASI07',
  mode: 'active',
  title: 'Requests from pages of other sites are served',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: lookWith({
    title: 'A foreign Origin is served',
    remediation: 'Answer 403 to every Origin that is not on a list; compare whole values.',
    headersOf: ({ host, origin }) => [
      { origin: `https://${FOREIGN}` },
      { origin: `http://${host}.${FOREIGN}` },
      { origin: `https://${FOREIGN}?${host}` },
      { origin: `http://${FOREIGN}#${origin}` },
      { origin: 'null' },
      { origin: `http://${host.replace(/:\d+$/, '')}.${FOREIGN}` },
      { origin: `http://not${host}` },
    ],
  }),
});

/** Looks whether a name that was pointed at the target is served: any value of `Host` is let in. */
export const foreignHost = makeProbe({
  probeId: 'foreign-host',
  version: 1,
  category: 'ASI07',
  mode: 'active',
  title: 'Requests for other hosts are served',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: lookWith({
    title: 'A foreign Host is served',
    remediation: 'Answer 421 to every Host that is not the own one; compare whole values.',
    headersOf: ({ host }) => [
      { host: FOREIGN },
      { host: `${FOREIGN}:${host.split(':')[1] ?? '80'}` },
      { host: `${host.replace(/:\d+$/, '')}.${FOREIGN}` },
      { host: `${host}.${FOREIGN}` },
      { host: FOREIGN, 'x-forwarded-host': host },
      { host: FOREIGN, forwarded: `host=${host}` },
      { host: `localhost.${FOREIGN}` },
    ],
  }),
});

interface ForeignPlan {
  readonly title: string;
  readonly remediation: string;
  headersOf(own: Own): readonly Readonly<Record<string, string>>[];
}

interface Own {
  readonly host: string;
  readonly origin: string;
}

function lookWith(plan: ForeignPlan): ProbePlan['look'] {
  return async (session) => {
    if (session.target.exchange === undefined || session.recon.kind !== 'mcp_http') {
      return { outcome: 'not_applicable', reason: 'the target does not speak MCP over HTTP' };
    }
    const own = { host: new URL(session.target.origin).host, origin: session.target.origin };
    const control = await initialize(session, {});
    if (!isGreeting(control)) {
      return { outcome: 'not_applicable', reason: 'the target greets nobody without credentials' };
    }
    const findings: Sighting[] = [];
    const subjects: string[] = [];
    for (const headers of plan.headersOf(own)) {
      const [name, value] = Object.entries(headers)[0] ?? ['', ''];
      subjects.push(`${name}: ${value}`);
      const answer = await initialize(session, headers);
      if (!isGreeting(answer)) continue;
      findings.push(sighting(plan, answer, await initialize(session, {})));
      break;
    }
    return { outcome: 'looked', subjects, findings } satisfies Observation;
  };
}

function sighting(plan: ForeignPlan, answer: RawAnswer, control: RawAnswer): Sighting {
  return {
    title: plan.title,
    severity: 'medium',
    status: 'unreproduced',
    evidence: rawEvidence(answer),
    control: rawEvidence(control),
    remediation: plan.remediation,
  };
}

async function initialize(
  session: ProbeSession,
  headers: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  const { exchange } = session.target;
  if (exchange === undefined) return { kind: 'broken', reason: 'no HTTP', ms: 0, sent: '' };
  return await exchange({
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: initializeBody(1),
    deadlineMs: 5_000,
  });
}

function isGreeting(answer: RawAnswer): boolean {
  return (
    answer.kind === 'answer' &&
    answer.status === 200 &&
    answer.body.includes('protocolVersion') &&
    answer.body.includes('serverInfo')
  );
}
