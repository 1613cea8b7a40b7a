import { DAY_MS } from '../common/time.ts';
import type { CodeNote, CodePhaseInput, SpokenTurn } from '../panel/definition.ts';
import { AnswerContent, createQuestionId, OpinionContent, QuestionContent } from './content.ts';
import {
  type Condition,
  type Exchange,
  type Gap,
  type MergeNote,
  readFactNote,
  readRedLineNote,
} from './notes.ts';
import type { CouncilBrief } from './records.ts';
import { type CouncilRoleName, isRoleName } from './roles.ts';
import { findRule } from './rules/rules.ts';

/** Maximum number of conditions in a decision; those for red lines come first. */
export const CONDITIONS_KEPT_MAX = 20;
const GAPS_KEPT_MAX = 40;

/**
 * Merges the seats' contributions: conditions with owners and dates, gaps, questions and answers.
 */
export function mergeConditions(facts: CodePhaseInput<CouncilBrief>): CodeNote {
  const exchanges = collectExchanges(facts);
  const note: MergeNote = {
    conditions: mergeEqual([...redLineConditions(facts), ...opinionConditions(facts)]).slice(
      0,
      CONDITIONS_KEPT_MAX,
    ),
    gaps: collectGaps(facts, exchanges).slice(0, GAPS_KEPT_MAX),
    exchanges,
  };
  return { content: { ...note }, summary: { conditions: note.conditions.length } };
}

/** Returns the date `days` after a date, as YYYY-MM-DD. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function redLineConditions({ notes, brief }: CodePhaseInput<CouncilBrief>): readonly Condition[] {
  return (readRedLineNote(notes)?.raised ?? []).flatMap(({ rule_id, role }) => {
    const rule = findRule(rule_id);
    if (rule === undefined) return [];
    const due = addDays(brief.startsOn, rule.dueDays);
    return [{ text: rule.condition, owner: role, due, asked_by: [role], rule_id }];
  });
}

function opinionConditions(facts: CodePhaseInput<CouncilBrief>): readonly Condition[] {
  return readOpinions(facts).flatMap(({ role, content }) =>
    content.conditions.map(({ text, owner, due_days }) => ({
      text,
      owner,
      due: addDays(facts.brief.startsOn, due_days),
      asked_by: [role],
    })),
  );
}

/** Merges conditions with equal text: keeps the earliest date and all roles that asked. */
function mergeEqual(conditions: readonly Condition[]): Condition[] {
  const byText = new Map<string, Condition>();
  for (const condition of conditions) {
    const key = condition.text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    const known = byText.get(key);
    byText.set(
      key,
      known === undefined
        ? condition
        : {
            ...known,
            due: [known.due, condition.due].sort()[0] ?? known.due,
            asked_by: [...new Set([...known.asked_by, ...condition.asked_by])],
          },
    );
  }
  const rank = ({ rule_id }: Condition): number => (rule_id === undefined ? 1 : 0);
  return [...byText.values()].sort(
    (one, other) => rank(one) - rank(other) || (one.due < other.due ? -1 : 1),
  );
}

function collectGaps(
  facts: CodePhaseInput<CouncilBrief>,
  exchanges: readonly Exchange[],
): readonly Gap[] {
  const unknowns = (readFactNote(facts.notes)?.checks ?? [])
    .filter(({ verdict }) => verdict === 'unknown')
    .map(({ role, rule_id, text }) => ({ role, text: `${rule_id}: ${text}` }));
  const statedGaps = readOpinions(facts).flatMap(({ role, content }) =>
    content.gaps.map((text) => ({ role, text })),
  );
  const unanswered = exchanges
    .filter(({ is_supported }) => !is_supported)
    .map(({ to, question }) => ({ role: to, text: `without evidence: ${question}` }));
  return [...unknowns, ...statedGaps, ...unanswered];
}

/** The part of the facts that contributions are read from. */
type CouncilTurns = Pick<CodePhaseInput<CouncilBrief>, 'turns' | 'seats'>;

/** Returns all questions in seat order, each with its answer if there is one. */
export function collectExchanges(facts: CouncilTurns): Exchange[] {
  const answers = listTurns(facts, 'answer').flatMap(({ role, turn }) => {
    const content = AnswerContent.safeParse(turn.content);
    return content.success ? content.data.answers.map((answer) => ({ ...answer, role })) : [];
  });
  return listTurns(facts, 'question').flatMap(({ role, turn }) => {
    const content = QuestionContent.safeParse(turn.content);
    const questions = content.success ? content.data.questions : [];
    return questions.map(({ to, text }, index) => {
      const id = createQuestionId(role, index);
      const answer = answers.find((one) => one.role === to && one.question_id === id);
      const evidence_ids = answer?.evidenceIds ?? [];
      return {
        from: role,
        to,
        question: text,
        evidence_ids,
        answer: answer?.text ?? null,
        is_supported: evidence_ids.length > 0,
      };
    });
  });
}

function readOpinions(facts: CouncilTurns) {
  return listTurns(facts, 'opinion').flatMap(({ role, turn }) => {
    const content = OpinionContent.safeParse(turn.content);
    return content.success ? [{ role, content: content.data }] : [];
  });
}

function listTurns(
  { turns, seats }: CouncilTurns,
  phase: string,
): readonly { readonly role: CouncilRoleName; readonly turn: SpokenTurn }[] {
  // Uses seat order, because turns finish in any order.
  return seats.flatMap(({ seatId, role }) => {
    const turn = turns.findLast(
      (one) => one.seatId === seatId && one.phase === phase && one.status === 'ok',
    );
    return turn === undefined || !isRoleName(role) ? [] : [{ role, turn }];
  });
}
