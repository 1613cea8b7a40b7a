import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { evidenceOf, outcomeText } from '../../../domain/audit/evidence.ts';
import { pattern } from '../../../domain/audit/pattern.ts';
import {
  type Arguments,
  isNumeric,
  listMembers,
  schemaOf,
  withValue,
} from '../../../domain/audit/probe/arguments.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { isDone } from '../../../domain/audit/probe/tool-answer.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import {
  callable,
  callTool,
  fittingArguments,
  pause,
  sendable,
  TOOLS_CALLED_MAX,
} from '../session/calling.ts';
import type { GatedConnection } from '../session/gate.ts';
import { hasRoom, makeProbe } from '../session/make-probe.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 80;
/** Minimum duration of a cancellable call, in addition to the target's usual response time. */
const SLOW_MS = 250;
/**
 * Pings that measure the usual response time, and the number of round trips allowed for a cancel.
 */
const PINGS = 3;
const WAYS = 3;
/** When the cancel is sent, and how long it may take effect, in milliseconds. */
const CANCEL_AFTER_MS = 120;
const CALL_MS_MAX = 6_000;
const LONG = pattern(
  'i',
  'second|duration|delay|step|count|times|rounds|pages|size|amount|items|',
  'iterations|wait|ms|length|depth|limit|number|batch|rows|entries|records|lines|loops|repeat',
);

/** Detects work that continues after it was cancelled. */
export const cancellation = makeProbe({
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
    const slowMs = SLOW_MS + WAYS * (await answerMs(connection));
    for (const tool of callable(session, focus).slice(0, TOOLS_CALLED_MAX)) {
      if (!hasRoom(session, REQUESTS_MAX)) break;
      const slow = await slowCall({ session, connection, slowMs }, tool);
      if (slow === undefined) continue;
      subjects.push(tool.name);
      const found = await cancelled(session, tool, slow);
      if (found !== undefined) findings.push(found);
    }
    if (subjects.length === 0) {
      return { outcome: 'not_applicable', reason: 'no tool runs long enough to be cancelled' };
    }
    return { outcome: 'looked', subjects, findings };
  },
});

interface Means {
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
async function slowCall(
  { session, connection, slowMs }: Means,
  tool: Definition,
): Promise<SlowCall | undefined> {
  const fitting = fittingArguments(session, tool);
  for (const values of [fitting, ...sendable(session, tool, lengthened(tool, fitting))]) {
    if (!hasRoom(session, REQUESTS_MAX)) return undefined;
    const call = async () =>
      await callTool(connection, tool.name, values, { deadlineMs: CALL_MS_MAX });
    const control = await call();
    if (control.ms < slowMs || !isDone(control)) continue;
    // The call must be slow twice, to rule out network delays and other load.
    const again = await call();
    if (again.ms >= slowMs && isDone(again)) return { values, control };
  }
  return undefined;
}

/** Returns the response time of a trivial request. */
async function answerMs(connection: GatedConnection): Promise<number> {
  let longest = 0;
  for (let ping = 0; ping < PINGS; ping += 1) {
    longest = Math.max(longest, (await connection.request('ping')).ms);
  }
  return longest;
}

async function cancelled(
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
  await pause(session, CANCEL_AFTER_MS);
  await connection.notify('notifications/cancelled', { requestId, reason: 'The audit stops it.' });
  await pause(session, CANCEL_AFTER_MS);
  const before = connection.unasked().length;
  const outcome = await call;
  const isFinished = isDone(outcome) && outcome.ms >= control.ms * 0.7;
  const isProgressing = connection.unasked().length > before + 1;
  if (!isFinished && !isProgressing) return undefined;
  return {
    title: 'A cancelled call is worked on to its end',
    severity: 'medium',
    status: 'unreproduced',
    tool: tool.name,
    evidence: timed(outcome, `cancelled after ${CANCEL_AFTER_MS} ms`),
    control: timed(control, 'not cancelled'),
    remediation: 'Propagate the cancellation of a request to everything that works for it.',
  };
}

const SECOND_REQUEST = 2;

/** Increases each number that controls the duration, within the schema limits. */
function lengthened(tool: Definition, fitting: Arguments): readonly Arguments[] {
  return listMembers(schemaOf(tool))
    .filter(({ schema, name }) => isNumeric(schema) && LONG.test(name))
    .slice(0, 2)
    .flatMap(({ schema, path, name }) => {
      const { maximum } = schema;
      const most = typeof maximum === 'number' ? maximum : 20;
      const wanted = /ms|milli/i.test(name)
        ? 1_500
        : /second|duration|delay|wait/i.test(name)
          ? 2
          : 20;
      return [withValue(fitting, path, Math.min(most, wanted))];
    });
}

function timed(outcome: RpcOutcome, how: string) {
  return evidenceOf(`${outcome.sent}\n${how}`, `after ${outcome.ms} ms\n${outcomeText(outcome)}`);
}
