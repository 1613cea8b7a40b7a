import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import type { Arguments } from '../../../domain/audit/probe/arguments.ts';
import {
  inputSchemaOf,
  listMembers,
  sampleFullArguments,
  setAtPath,
} from '../../../domain/audit/probe/arguments.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import {
  allowedArguments,
  callableTools,
  callTool,
  createFittingArguments,
  TOOLS_CALLED_MAX,
} from './call-tool.ts';
import { type Focus, hasBudget } from './create-probe.ts';
import type { GatedConnection } from './gate.ts';
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
export async function* surveyTools(
  session: ProbeSession,
  plan: SurveyPlan,
): AsyncGenerator<SurveyedCall> {
  for (const manner of plan.manners) {
    for (const tool of callableTools(session, plan.focus).slice(0, TOOLS_CALLED_MAX)) {
      for (const values of createArguments(session, tool, manner)) {
        if (!hasBudget(session, plan.requestsMax)) return;
        const outcome = await callTool(plan.connection, tool.name, values, { deadlineMs: 5_000 });
        yield { tool, manner, values, outcome };
      }
    }
  }
}

function createArguments(
  session: ProbeSession,
  tool: Definition,
  manner: CallManner,
): readonly Arguments[] {
  const fitting = createFittingArguments(session, tool);
  switch (manner) {
    case 'fitting':
      return [fitting];
    case 'full': {
      const full = sampleFullArguments(inputSchemaOf(tool), session.canary(`fit-${tool.name}`));
      return JSON.stringify(full) === JSON.stringify(fitting)
        ? []
        : allowedArguments(session, tool, [full]);
    }
    case 'odd':
      return allowedArguments(session, tool, createOddArguments(session, tool, fitting));
  }
}

/** Returns values that make careless tools fail: nonexistent names and wrong types. */
function createOddArguments(
  session: ProbeSession,
  tool: Definition,
  fitting: Arguments,
): readonly Arguments[] {
  const [first] = listMembers(inputSchemaOf(tool));
  if (first === undefined) return [];
  const canary = session.canary(`odd-${tool.name}`);
  const oddTexts = [`${canary}'"\\<{[`, '9'.repeat(400), { [canary]: [canary] }, -1e308, ''];
  return oddTexts.map((value) => setAtPath(fitting, first.path, value));
}
