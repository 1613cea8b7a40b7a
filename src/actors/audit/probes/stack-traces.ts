import { outcomeText, rawEvidence, rpcEvidence } from '../../../domain/audit/evidence.ts';
import { pattern } from '../../../domain/audit/pattern.ts';
import { JSON_HEADERS, messageBody } from '../../../domain/audit/probe/raw-messages.ts';
import type { Evidence } from '../../../domain/audit/records.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { withConnection } from '../session/calling.ts';
import { makeProbe } from '../session/make-probe.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';
import { survey } from '../session/survey.ts';
import { leftOutInWords, takeBeginning } from '../session/text-turns.ts';

const REQUESTS_MAX = 80;
const TRACES: readonly RegExp[] = [
  pattern(
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
  pattern(
    's',
    '\\.(?:rb|php|py|go|rs|ts|js|cs):\\d+(?::\\d+)?(?::in\\b|\\)|\\s|\\\\n|,|"|',
    '$).{0,200}\\.(?:rb|php|py|go|rs|ts|js|cs):\\d+',
  ),
];

/** Detects stack traces and source locations in errors. */
export const stackTraces = makeProbe({
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
      const control = rpcEvidence(await connection.request('ping'));
      for (const { method, params } of strangeRequests(session)) {
        subjects.push(method);
        const outcome = await connection.request(method, params);
        if (shows(outcomeText(outcome))) {
          found.set('', sighting(undefined, rpcEvidence(outcome), control));
        }
      }
      const raw = await strangeBody(session, shows);
      if (raw !== undefined) found.set('', sighting(undefined, raw, control));
      const manners = ['odd', 'fitting'] as const;
      const calls = survey(session, { connection, manners, requestsMax: REQUESTS_MAX, focus });
      for await (const { tool, outcome } of calls) {
        subjects.push(tool.name);
        if (!shows(outcomeText(outcome)) || found.has(tool.name)) continue;
        found.set(tool.name, sighting(tool.name, rpcEvidence(outcome), control));
      }
    });
    const reason = leftOutInWords(leftOut);
    return { outcome: 'looked', subjects, findings: [...found.values()], reason };
  },
});

function strangeRequests(session: ProbeSession) {
  const canary = session.canary('strange');
  return [
    { method: `${canary}/none`, params: {} },
    { method: 'tools/call', params: { name: canary, arguments: {} } },
    { method: 'tools/call', params: { name: 7, arguments: canary } },
    { method: 'resources/read', params: { uri: `${canary}://none` } },
    { method: 'prompts/get', params: { name: canary } },
  ];
}

async function strangeBody(
  session: ProbeSession,
  shows: (text: string) => boolean,
): Promise<Evidence | undefined> {
  const { exchange } = session.target;
  if (exchange === undefined || session.recon.kind !== 'mcp_http') return undefined;
  for (const body of ['{"jsonrpc":"2.0",', `[${messageBody(1, 'ping')},7,null]`]) {
    const answer = await exchange({ method: 'POST', headers: JSON_HEADERS, body });
    if (answer.kind === 'answer' && shows(answer.body)) return rawEvidence(answer);
  }
  return undefined;
}

function showsTrace(text: string): boolean {
  return TRACES.some((trace) => trace.test(text));
}

function sighting(tool: string | undefined, evidence: Evidence, control: Evidence): Sighting {
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
