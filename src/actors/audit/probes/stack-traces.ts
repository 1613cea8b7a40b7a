import {
  createRawEvidence,
  createRpcEvidence,
  formatOutcome,
} from '../../../domain/audit/evidence.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import { createMessageBody, JSON_HEADERS } from '../../../domain/audit/probe/raw-messages.ts';
import type { Evidence } from '../../../domain/audit/records.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { withConnection } from '../session/call-tool.ts';
import { createProbe } from '../session/create-probe.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';
import { surveyTools } from '../session/survey.ts';
import { describeOmitted, takeBeginning } from '../session/text-pieces.ts';

const REQUESTS_MAX = 80;
const TRACES: readonly RegExp[] = [
  joinPattern(
    '',
    '(?:\\n|\\\\n)[^\\S\\n]*at (?:async )?[\\w.$<>[\\] ]*\\(?(?:file://|node:|/|',
    '[A-Za-z]:\\\\)(?:(?!\\\\n)[^\\s)])*:\\d+:\\d+',
  ),
  /Traceback \(most recent call last\)/,
  /File "[^"]+", line \d+/,
  /(?:\b|\\t)at [\w.$]+\([\w$]+\.(?:java|kt|scala):\d+\)/,
  /goroutine \d+ \[/,
  // Rust, PHP, .NET, and Ruby.
  /(?:^|\W)stack backtrace:|thread '[^']{0,80}' panicked at \S+:\d+:\d+/,
  /Stack trace:\s*(?:\n|\\n)#0 /,
  /\n[^\S\n]*at [\w.`<>[\],]+\([^)\n]{0,200}\) in \S+:line \d+/,
  /\bfrom \S+\.rb:\d+:in [`']/,
  joinPattern(
    's',
    '\\.(?:rb|php|py|go|rs|ts|js|cs):\\d+(?::\\d+)?(?::in\\b|\\)|\\s|\\\\n|,|"|',
    '$).{0,200}\\.(?:rb|php|py|go|rs|ts|js|cs):\\d+',
  ),
];

/** Detects stack traces and source locations in errors. */
export const stackTraces = createProbe({
  probeId: 'stack-traces',
  version: 2,
  category: 'ASI08',
  mode: 'active',
  title: 'Errors show stack traces',
  requestsMax: REQUESTS_MAX,
  totalMs: 2 * MINUTE_MS,
  look: async (session, focus) => {
    const found = new Map<string, Sighting>();
    const subjects: string[] = [];
    const leftOut = { chars: 0 };
    const shows = (text: string) => showsTrace(takeBeginning(text, leftOut));
    await withConnection(session, async (connection) => {
      const control = createRpcEvidence(await connection.request('ping'));
      for (const { method, params } of malformedRequests(session)) {
        subjects.push(method);
        const outcome = await connection.request(method, params);
        if (shows(formatOutcome(outcome))) {
          found.set('', createSighting(undefined, createRpcEvidence(outcome), control));
        }
      }
      const raw = await testMalformedBodies(session, shows);
      if (raw !== undefined) found.set('', createSighting(undefined, raw, control));
      const manners = ['odd', 'fitting'] as const;
      const calls = surveyTools(session, { connection, manners, requestsMax: REQUESTS_MAX, focus });
      for await (const { tool, outcome } of calls) {
        subjects.push(tool.name);
        if (!shows(formatOutcome(outcome)) || found.has(tool.name)) continue;
        found.set(tool.name, createSighting(tool.name, createRpcEvidence(outcome), control));
      }
    });
    const reason = describeOmitted(leftOut);
    return { outcome: 'looked', subjects, findings: [...found.values()], reason };
  },
});

function malformedRequests(session: ProbeSession) {
  const canary = session.canary('strange');
  return [
    { method: `${canary}/none`, params: {} },
    { method: 'tools/call', params: { name: canary, arguments: {} } },
    { method: 'tools/call', params: { name: 7, arguments: canary } },
    { method: 'resources/read', params: { uri: `${canary}://none` } },
    { method: 'prompts/get', params: { name: canary } },
  ];
}

async function testMalformedBodies(
  session: ProbeSession,
  shows: (text: string) => boolean,
): Promise<Evidence | undefined> {
  const { exchange } = session.target;
  if (exchange === undefined || session.recon.kind !== 'mcp_http') return undefined;
  for (const body of ['{"jsonrpc":"2.0",', `[${createMessageBody(1, 'ping')},7,null]`]) {
    const answer = await exchange({ method: 'POST', headers: JSON_HEADERS, body });
    if (answer.kind === 'answer' && shows(answer.body)) return createRawEvidence(answer);
  }
  return undefined;
}

function showsTrace(text: string): boolean {
  return TRACES.some((trace) => trace.test(text));
}

function createSighting(tool: string | undefined, evidence: Evidence, control: Evidence): Sighting {
  return {
    title: 'An error shows a stack trace',
    severity: 'medium',
    status: 'unreproduced',
    ...(tool === undefined ? {} : { tool }),
    evidence,
    control,
    remediation: 'Answer errors with a code and a sentence; write the trace only to your own log.',
  };
}
