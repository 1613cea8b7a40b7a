import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createEvidence, formatOutcome } from '../../../domain/audit/evidence.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import {
  type Arguments,
  inputSchemaOf,
  isNumeric,
  listMembers,
  setAtPath,
} from '../../../domain/audit/probe/arguments.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { isSuccess } from '../../../domain/audit/probe/tool-result.ts';
import { pause } from '../../../domain/common/pause.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import {
  allowedArguments,
  callableTools,
  callTool,
  createFittingArguments,
  TOOLS_CALLED_MAX,
} from '../session/call-tool.ts';
import { createProbe, hasBudget } from '../session/create-probe.ts';
import type { GatedConnection } from '../session/gate.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 80;
/** Minimum duration of a cancellable call, in addition to the target's usual response time. */
const SLOW_MS = 250;
/**
 * Pings that measure the usual response time, and the number of round trips allowed for a cancel.
 */
const PINGS = 3;
const ROUND_TRIPS = 3;
/** When the cancel is sent, and how long it may take effect, in milliseconds. */
const CANCEL_AFTER_MS = 120;
const CALL_MS_MAX = 6_000;
const DURATION_FIELDS = joinPattern(
  'i',
  'second|duration|delay|step|count|times|rounds|pages|size|amount|items|',
  'iterations|wait|ms|length|depth|limit|number|batch|rows|entries|records|lines|loops|repeat',
);

/** Detects work that continues after it was cancelled. */
export const cancellation = createProbe({
  probeId: 'cancellation',
  version: 2,
  category: 'ASI10',
  mode: 'active',
  title: 'Work goes on after it was cancelled',
  requestsMax: REQUESTS_MAX,
  totalMs: 2 * MINUTE_MS,
  look: async (session, focus) => {
    const findings: Sighting[] = [];
    const subjects: string[] = [];
    const connection = await session.target.connect();
    const slowMs = SLOW_MS + ROUND_TRIPS * (await measureResponseMs(connection));
    for (const tool of callableTools(session, focus).slice(0, TOOLS_CALLED_MAX)) {
      if (!hasBudget(session, REQUESTS_MAX)) break;
      const slow = await findSlowCall({ session, connection, slowMs }, tool);
      if (slow === undefined) continue;
      subjects.push(tool.name);
      const found = await testCancellation(session, tool, slow);
      if (found !== undefined) findings.push(found);
    }
    if (subjects.length === 0) {
      return { outcome: 'not_applicable', reason: 'no tool runs long enough to be cancelled' };
    }
    return { outcome: 'looked', subjects, findings };
  },
});

interface CancellationDeps {
  readonly session: ProbeSession;
  readonly connection: GatedConnection;
  /** Minimum duration of a slow call, in milliseconds. */
  readonly slowMs: number;
}

interface SlowCall {
  readonly values: Arguments;
  readonly control: RpcOutcome;
}

/** Finds arguments with which a tool runs long enough and succeeds. */
async function findSlowCall(
  { session, connection, slowMs }: CancellationDeps,
  tool: Definition,
): Promise<SlowCall | undefined> {
  const fitting = createFittingArguments(session, tool);
  for (const values of [
    fitting,
    ...allowedArguments(session, tool, increaseDurations(tool, fitting)),
  ]) {
    if (!hasBudget(session, REQUESTS_MAX)) return undefined;
    const call = async () =>
      await callTool(connection, tool.name, values, { deadlineMs: CALL_MS_MAX });
    const control = await call();
    if (control.ms < slowMs || !isSuccess(control)) continue;
    // The call must be slow twice, to rule out network delays and other load.
    const again = await call();
    if (again.ms >= slowMs && isSuccess(again)) return { values, control };
  }
  return undefined;
}

/** Returns the response time of a trivial request. */
async function measureResponseMs(connection: GatedConnection): Promise<number> {
  let longest = 0;
  for (let ping = 0; ping < PINGS; ping += 1) {
    longest = Math.max(longest, (await connection.request('ping')).ms);
  }
  return longest;
}

async function testCancellation(
  session: ProbeSession,
  tool: Definition,
  { values, control }: SlowCall,
): Promise<Sighting | undefined> {
  const connection = await session.target.connect();
  // The next request on a new connection has the id 2.
  const requestId = SECOND_REQUEST;
  const progressToken = session.canary(`progress-${tool.name}`);
  const call = callTool(connection, tool.name, values, {
    deadlineMs: Math.min(control.ms * 2 + 1_000, CALL_MS_MAX),
    progressToken,
  });
  await pause(session.clock, CANCEL_AFTER_MS, session.signal);
  await connection.notify('notifications/cancelled', { requestId, reason: 'The audit stops it.' });
  await pause(session.clock, CANCEL_AFTER_MS, session.signal);
  const before = connection.unsolicitedMessages().length;
  const outcome = await call;
  const isFinished = isSuccess(outcome) && outcome.ms >= control.ms * 0.7;
  const isProgressing = connection.unsolicitedMessages().length > before + 1;
  if (!isFinished && !isProgressing) return undefined;
  return {
    title: 'A cancelled call is worked on to its end',
    severity: 'medium',
    status: 'unreproduced',
    tool: tool.name,
    evidence: timedEvidence(outcome, `cancelled after ${CANCEL_AFTER_MS} ms`),
    control: timedEvidence(control, 'not cancelled'),
    remediation: 'Propagate the cancellation of a request to everything that works for it.',
  };
}

const SECOND_REQUEST = 2;

/** Increases each number that controls the duration, within the schema limits. */
function increaseDurations(tool: Definition, fitting: Arguments): readonly Arguments[] {
  return listMembers(inputSchemaOf(tool))
    .filter(({ schema, name }) => isNumeric(schema) && DURATION_FIELDS.test(name))
    .slice(0, 2)
    .flatMap(({ schema, path, name }) => {
      const { maximum } = schema;
      const most = typeof maximum === 'number' ? maximum : 20;
      const wanted = /ms|milli/i.test(name)
        ? 1_500
        : /second|duration|delay|wait/i.test(name)
          ? 2
          : 20;
      return [setAtPath(fitting, path, Math.min(most, wanted))];
    });
}

function timedEvidence(outcome: RpcOutcome, how: string) {
  return createEvidence(
    `${outcome.sent}\n${how}`,
    `after ${outcome.ms} ms\n${formatOutcome(outcome)}`,
  );
}
