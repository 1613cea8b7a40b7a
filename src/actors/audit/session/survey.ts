import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import type { Arguments } from '../../../domain/audit/probe/arguments.ts';
import {
  fullArguments,
  listMembers,
  schemaOf,
  withValue,
} from '../../../domain/audit/probe/arguments.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { callable, callTool, fittingArguments, sendable, TOOLS_CALLED_MAX } from './calling.ts';
import type { GatedConnection } from './gate.ts';
import { type Focus, hasRoom } from './make-probe.ts';
import type { ProbeSession } from './probe.ts';

/** How a tool was called: with required arguments, with all arguments, or with odd values. */
export type CallManner = 'fitting' | 'full' | 'odd';

/** One call of a survey. */
export interface SurveyedCall {
  readonly tool: Definition;
  readonly manner: CallManner;
  readonly values: Arguments;
  readonly outcome: RpcOutcome;
}

/** Options of a survey. */
export interface SurveyPlan {
  readonly connection: GatedConnection;
  readonly manners: readonly CallManner[];
  readonly requestsMax: number;
  readonly focus?: Focus | undefined;
}

/** Calls the tools of a target in several manners and yields the outcomes one by one. */
export async function* survey(
  session: ProbeSession,
  plan: SurveyPlan,
): AsyncGenerator<SurveyedCall> {
  for (const manner of plan.manners) {
    for (const tool of callable(session, plan.focus).slice(0, TOOLS_CALLED_MAX)) {
      for (const values of valuesFor(session, tool, manner)) {
        if (!hasRoom(session, plan.requestsMax)) return;
        const outcome = await callTool(plan.connection, tool.name, values, { deadlineMs: 5_000 });
        yield { tool, manner, values, outcome };
      }
    }
  }
}

function valuesFor(
  session: ProbeSession,
  tool: Definition,
  manner: CallManner,
): readonly Arguments[] {
  const fitting = fittingArguments(session, tool);
  switch (manner) {
    case 'fitting':
      return [fitting];
    case 'full': {
      const full = fullArguments(schemaOf(tool), session.canary(`fit-${tool.name}`));
      return JSON.stringify(full) === JSON.stringify(fitting)
        ? []
        : sendable(session, tool, [full]);
    }
    case 'odd':
      return sendable(session, tool, oddValues(session, tool, fitting));
  }
}

/** Returns values that make careless tools fail: nonexistent names and wrong types. */
function oddValues(
  session: ProbeSession,
  tool: Definition,
  fitting: Arguments,
): readonly Arguments[] {
  const [first] = listMembers(schemaOf(tool));
  if (first === undefined) return [];
  const canary = session.canary(`odd-${tool.name}`);
  const oddTexts = [`${canary}'"\\<{[`, '9'.repeat(400), { [canary]: [canary] }, -1e308, ''];
  return oddTexts.map((value) => withValue(fitting, first.path, value));
}
