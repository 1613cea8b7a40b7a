import { invariant } from '../common/error.ts';
import type { JsonObject } from '../common/json.ts';
import type { SeatAnswer } from '../panel/answer.ts';
import type { PromptInput } from '../panel/definition.ts';
import type { TurnOrder } from '../panel/order.ts';
import { ARGUMENT_CHARS_MAX, BALLOT_PHASE } from '../panel/records.ts';
import { CONDITIONS_MAX } from './content.ts';
import { type CheckNote, readFactNote } from './notes.ts';
import type { CouncilBrief, CouncilOptionId } from './records.ts';
import { isRoleName } from './roles.ts';
import { findRule } from './rules/rules.ts';

/**
 * Answers for a role by its checklist alone. A red line ranks rejection first; half or more unknown
 * rules rank deferral first; any other failed rule ranks conditions first; otherwise approval is
 * first.
 */
export function answerByRules(order: TurnOrder, { notes }: PromptInput<CouncilBrief>): SeatAnswer {
  const { role } = order.seat;
  const checks = readFactNote(notes)?.checks.filter((check) => check.role === role);
  invariant(checks !== undefined, 'facts are checked before any seat speaks');
  const ranking = rankOptions(checks);
  const known = checks.filter(({ verdict }) => verdict !== 'unknown').length;
  const answer = {
    argument: buildArgument(checks),
    confidence: checks.length === 0 ? 0 : known / checks.length,
    evidenceIds: [],
    changeReason: null,
  };
  const [position = 'defer'] = ranking;
  if (order.phase === BALLOT_PHASE) return { ...answer, position, ranking };
  return { ...answer, position, content: buildContent(checks) };
}

function rankOptions(checks: readonly CheckNote[]): readonly CouncilOptionId[] {
  const failed = checks.filter(({ verdict }) => verdict === 'fail');
  const unknown = checks.filter(({ verdict }) => verdict === 'unknown');
  if (failed.some((check) => check.is_red_line)) {
    return ['reject', 'defer', 'approve_with_conditions', 'approve'];
  }
  if (unknown.length * 2 >= checks.length) {
    return ['defer', 'approve_with_conditions', 'reject', 'approve'];
  }
  if (failed.length > 0) return ['approve_with_conditions', 'defer', 'approve', 'reject'];
  return ['approve', 'approve_with_conditions', 'defer', 'reject'];
}

function buildArgument(checks: readonly CheckNote[]): string {
  const order = { fail: 0, unknown: 1, pass: 2 };
  const lines = [...checks]
    .sort((one, other) => order[one.verdict] - order[other.verdict])
    .map(({ rule_id, verdict, text }) => `${rule_id} ${verdict}: ${text}.`);
  return (lines.length === 0 ? 'No rule applies.' : lines.join(' ')).slice(0, ARGUMENT_CHARS_MAX);
}

function buildContent(checks: readonly CheckNote[]): JsonObject {
  const open = checks.filter(({ verdict, is_red_line }) => verdict !== 'pass' && !is_red_line);
  return {
    conditions: open.slice(0, CONDITIONS_MAX).flatMap(({ rule_id, role }) => {
      const rule = findRule(rule_id);
      if (rule === undefined || !isRoleName(role)) return [];
      return [{ text: rule.condition, owner: role, due_days: rule.dueDays }];
    }),
    // Code raises red lines from the same facts.
    red_lines: [],
    gaps: [],
  };
}
