import type { ConnectOptions, RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { rpcEvidence } from '../../../domain/audit/evidence.ts';
import { actingWord, hintsOf } from '../../../domain/audit/probe/tool-nature.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { isReader } from '../session/calling.ts';
import { makeProbe } from '../session/make-probe.ts';
import type { Observation, ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 60;
/** JSON-RPC error code for invalid arguments. */
const INVALID_PARAMS = -32_602;

/** Detects protected targets that serve requests without or with wrong credentials. */
export const missingAuthentication = makeProbe({
  probeId: 'missing-authentication',
  version: 1,
  category: 'ASI03',
  mode: 'active',
  title: 'Callers without credentials, or with wrong ones, are served',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session) => {
    if (session.recon.kind !== 'mcp_http') {
      return { outcome: 'not_applicable', reason: 'the target does not speak MCP over HTTP' };
    }
    const anonymous = await greet(session, { isAnonymous: true });
    return anonymous.isRefused
      ? await lookBehind(session, anonymous.outcome)
      : await lookOpen(session);
  },
});

/** If `initialize` requires credentials, all other methods must require them too. */
async function lookBehind(session: ProbeSession, control: RpcOutcome): Promise<Observation> {
  const findings: Sighting[] = [];
  const subjects: string[] = [];
  const known = await rightfulSession(session);
  for (const way of waysIn(session, known)) {
    subjects.push(way.title);
    const outcome = await way.request();
    if (outcome?.kind !== 'result') continue;
    findings.push(sighting(way.title, outcome, control));
  }
  return { outcome: 'looked', subjects, findings };
}

interface Way {
  readonly title: string;
  request(): Promise<RpcOutcome | undefined>;
}

function waysIn(session: ProbeSession, known: string | undefined): readonly Way[] {
  const list = async (options: ConnectOptions) => {
    const connection = await session.target.connect({ isAnonymous: true, ...options });
    return await connection.request('tools/list', {});
  };
  const call = async (options: ConnectOptions) => {
    const connection = await session.target.connect({ isAnonymous: true, ...options });
    const name = session.recon.tools.find(isReader)?.name ?? session.canary('tool');
    const outcome = await connection.request('tools/call', { name, arguments: {} });
    // An argument error also shows that the call passed authentication.
    const isBehind = outcome.kind === 'error' && outcome.code === INVALID_PARAMS;
    return isBehind ? { ...outcome, kind: 'result' as const, result: {} } : outcome;
  };
  const adopted = session.canary('session');
  const greeted = async (headers: Readonly<Record<string, string>>) => {
    const { outcome, isRefused } = await greet(session, { isAnonymous: true, headers });
    return isRefused ? undefined : outcome;
  };
  const bogus = session.canary('bearer');
  return [
    {
      title: 'A wrong bearer token is taken',
      request: () => greeted({ authorization: `Bearer ${bogus}` }),
    },
    {
      title: 'An empty bearer token is taken',
      request: () => greeted({ authorization: 'Bearer ' }),
    },
    {
      title: 'Another scheme of credentials is taken',
      request: () => greeted({ authorization: `Basic ${bogus}` }),
    },
    {
      title: 'A header that names an inner address opens',
      request: () => greeted({ 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' }),
    },
    {
      title: 'The id of a session opens',
      request: () => greeted({ 'mcp-session-id': known ?? adopted }),
    },
    {
      title: 'Tools are listed without credentials',
      request: () => list({ sessionId: known ?? adopted }),
    },
    {
      title: 'Tools are called without credentials',
      request: () => call({ sessionId: known ?? adopted }),
    },
    {
      title: 'Tools are called with a wrong bearer token',
      request: () =>
        call({ sessionId: known ?? adopted, headers: { authorization: `Bearer ${bogus}` } }),
    },
  ];
}

/** An open greeting is a finding only if the audit was given credentials. */
async function lookOpen(session: ProbeSession): Promise<Observation> {
  const { outcome } = await greet(session, { isAnonymous: true });
  const acting = session.recon.tools.filter(
    (tool) => hintsOf(tool)['destructiveHint'] === true && actingWord(tool) !== undefined,
  );
  const connection = await session.target.connect({ isAnonymous: true });
  const listed = await connection.request('tools/list', {});
  const findings: Sighting[] = [];
  if (session.target.hasCredentials && listed.kind === 'result') {
    findings.push(sighting('Credentials are not asked for', listed, outcome));
  } else if (acting.length > 0 && listed.kind === 'result') {
    findings.push({
      ...sighting('Tools that act are offered to anybody', listed, outcome),
      severity: 'medium',
      status: 'indicator',
      ...(acting[0] === undefined ? {} : { tool: acting[0].name }),
    });
  }
  return { outcome: 'looked', subjects: ['initialize', 'tools/list'], findings };
}

async function rightfulSession(session: ProbeSession): Promise<string | undefined> {
  if (!session.target.hasCredentials) return undefined;
  const { sessionId } = await session.target.connect();
  return sessionId ?? undefined;
}

async function greet(
  session: ProbeSession,
  options: ConnectOptions,
): Promise<{ readonly isRefused: boolean; readonly outcome: RpcOutcome }> {
  try {
    const connection = await session.target.connect(options);
    const outcome = await connection.request('tools/list', {});
    return { isRefused: false, outcome };
  } catch (thrown) {
    const connection = await session.target.connect({
      ...options,
      sessionId: session.canary('none'),
    });
    const outcome = await connection.request('initialize', {});
    if (outcome.kind !== 'refused') throw thrown;
    return { isRefused: true, outcome };
  }
}

function sighting(title: string, outcome: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title,
    severity: 'high',
    status: 'unreproduced',
    evidence: rpcEvidence(outcome),
    control: rpcEvidence(control),
    remediation: 'Check the credentials of every request, regardless of method and session.',
  };
}
