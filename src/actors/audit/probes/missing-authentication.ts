import type { ConnectOptions, RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { booleanHints, findActingVerb } from '../../../domain/audit/probe/tool-verbs.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { isReader } from '../session/call-tool.ts';
import { createProbe } from '../session/create-probe.ts';
import type { Observation, ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 60;
/** JSON-RPC error code for invalid arguments. */
const INVALID_PARAMS = -32_602;

/** Detects protected targets that serve requests without or with wrong credentials. */
export const missingAuthentication = createProbe({
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
      ? await testProtected(session, anonymous.outcome)
      : await testOpen(session);
  },
});

/** If `initialize` requires credentials, all other methods must require them too. */
async function testProtected(session: ProbeSession, control: RpcOutcome): Promise<Observation> {
  const findings: Sighting[] = [];
  const subjects: string[] = [];
  const known = await authorizedSessionId(session);
  for (const way of createAttempts(session, known)) {
    subjects.push(way.title);
    const outcome = await way.request();
    if (outcome?.kind !== 'result') continue;
    findings.push(createSighting(way.title, outcome, control));
  }
  return { outcome: 'looked', subjects, findings };
}

interface AccessAttempt {
  readonly title: string;
  request(): Promise<RpcOutcome | undefined>;
}

function createAttempts(
  session: ProbeSession,
  known: string | undefined,
): readonly AccessAttempt[] {
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
async function testOpen(session: ProbeSession): Promise<Observation> {
  const { outcome } = await greet(session, { isAnonymous: true });
  const acting = session.recon.tools.filter(
    (tool) => booleanHints(tool)['destructiveHint'] === true && findActingVerb(tool) !== undefined,
  );
  const connection = await session.target.connect({ isAnonymous: true });
  const listed = await connection.request('tools/list', {});
  const findings: Sighting[] = [];
  if (session.target.hasCredentials && listed.kind === 'result') {
    findings.push(createSighting('Credentials are not asked for', listed, outcome));
  } else if (acting.length > 0 && listed.kind === 'result') {
    findings.push({
      ...createSighting('Tools that act are offered to anybody', listed, outcome),
      severity: 'medium',
      status: 'indicator',
      ...(acting[0] === undefined ? {} : { tool: acting[0].name }),
    });
  }
  return { outcome: 'looked', subjects: ['initialize', 'tools/list'], findings };
}

async function authorizedSessionId(session: ProbeSession): Promise<string | undefined> {
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

function createSighting(title: string, outcome: RpcOutcome, control: RpcOutcome): Sighting {
  return {
    title,
    severity: 'high',
    status: 'unreproduced',
    evidence: createRpcEvidence(outcome),
    control: createRpcEvidence(control),
    remediation: 'Check the credentials of every request, regardless of method and session.',
  };
}
