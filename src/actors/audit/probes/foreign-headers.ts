import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { AppError } from '../../../domain/common/error.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { createProbe, type ProbePlan } from '../session/create-probe.ts';
import type { Observation, ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 50;
/** A reserved host name that belongs to nobody (RFC 2606). */
const FOREIGN_HOST = 'attacker.example';

/** Detects servers that accept any `Origin`, so that pages of other sites can call them. */
export const foreignOriginProbe = createProbe({
  probeId: 'foreign-origin',
  version: 1,
  category: 'ASI07',
  mode: 'active',
  title: 'Requests from pages of other sites are served',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: createLook({
    title: 'A foreign Origin is served',
    remediation: 'Answer 403 to every Origin that is not allowlisted; compare whole values.',
    headersOf: ({ host, origin }) => [
      { origin: `https://${FOREIGN_HOST}` },
      { origin: `http://${host}.${FOREIGN_HOST}` },
      { origin: `https://${FOREIGN_HOST}?${host}` },
      { origin: `http://${FOREIGN_HOST}#${origin}` },
      { origin: 'null' },
      { origin: `http://${host.replace(/:\d+$/, '')}.${FOREIGN_HOST}` },
      { origin: `http://not${host}` },
    ],
  }),
});

/** Detects servers that accept any `Host`, which allows DNS rebinding. */
export const foreignHostProbe = createProbe({
  probeId: 'foreign-host',
  version: 1,
  category: 'ASI07',
  mode: 'active',
  title: 'Requests for other hosts are served',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: createLook({
    title: 'A foreign Host is served',
    remediation: 'Answer 421 to every foreign Host; compare whole values.',
    headersOf: ({ host }) => [
      { host: FOREIGN_HOST },
      { host: `${FOREIGN_HOST}:${host.split(':')[1] ?? '80'}` },
      { host: `${host.replace(/:\d+$/, '')}.${FOREIGN_HOST}` },
      { host: `${host}.${FOREIGN_HOST}` },
      { host: FOREIGN_HOST, 'x-forwarded-host': host },
      { host: FOREIGN_HOST, forwarded: `host=${host}` },
      { host: `localhost.${FOREIGN_HOST}` },
    ],
  }),
});

interface ForeignPlan {
  readonly title: string;
  readonly remediation: string;
  headersOf(own: OwnAddress): readonly Readonly<Record<string, string>>[];
}

interface OwnAddress {
  readonly host: string;
  readonly origin: string;
}

function createLook(plan: ForeignPlan): ProbePlan['look'] {
  return async (session) => {
    if (session.target.exchange === undefined || session.recon.kind !== 'mcp_http') {
      return { outcome: 'not_applicable', reason: 'the target does not speak MCP over HTTP' };
    }
    const own = { host: new URL(session.target.origin).host, origin: session.target.origin };
    if (!isServed(await listWith(session, {}))) {
      return { outcome: 'not_applicable', reason: 'the target requires credentials' };
    }
    const findings: Sighting[] = [];
    const subjects: string[] = [];
    for (const headers of plan.headersOf(own)) {
      const [name, value] = Object.entries(headers)[0] ?? ['', ''];
      subjects.push(`${name}: ${value}`);
      const outcome = await listWith(session, headers);
      if (!isServed(outcome)) continue;
      findings.push(createSighting(plan, outcome, await listWith(session, {})));
      break;
    }
    return { outcome: 'looked', subjects, findings } satisfies Observation;
  };
}

function createSighting(
  plan: ForeignPlan,
  outcome: RpcOutcome,
  control: RpcOutcome | undefined,
): Sighting {
  return {
    title: plan.title,
    severity: 'medium',
    status: 'unreproduced',
    evidence: createRpcEvidence(outcome),
    control: control === undefined ? null : createRpcEvidence(control),
    remediation: plan.remediation,
  };
}

/** Lists the tools with custom headers; `undefined` if the target rejects the connection. */
async function listWith(
  session: ProbeSession,
  headers: Readonly<Record<string, string>>,
): Promise<RpcOutcome | undefined> {
  try {
    const connection = await session.target.connect({ headers, deadlineMs: 5_000 });
    return await connection.request('tools/list', {});
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'AUDIT_TARGET_DOWN') return undefined;
    throw thrown;
  }
}

function isServed(outcome: RpcOutcome | undefined): outcome is RpcOutcome {
  return outcome?.kind === 'result';
}
