import { DAY_MS } from '../common/time.ts';
import type { CodeFacts, CodeNote, SpokenTurn } from '../panel/definition.ts';
import { AnswerContent, OpinionContent, QuestionContent, questionId } from './content.ts';
import {
  type Condition,
  type Exchange,
  factNote,
  type Gap,
  type MergeNote,
  redLineNote,
} from './notes.ts';
import type { CouncilBrief } from './records.ts';
import { type CouncilRoleName, isRoleName } from './roles.ts';
import { ruleOf } from './rules/rules.ts';

/** Maximum number of conditions in a decision; those for red lines come first. */
export const CONDITIONS_KEPT_MAX = 20;
const GAPS_KEPT_MAX = 40;

/**
 * Merges the seats' contributions: conditions with owners and dates, gaps, questions and answers.
 */
export function mergeConditions(facts: CodeFacts<CouncilBrief>): CodeNote {
  const exchanges = exchangesOf(facts);
  const note: MergeNote = {
    conditions: merged([...ofRedLines(facts), ...ofOpinions(facts)]).slice(0, CONDITIONS_KEPT_MAX),
    gaps: gapsOf(facts, exchanges).slice(0, GAPS_KEPT_MAX),
    exchanges,
  };
  return { content: { ...note }, summary: { conditions: note.conditions.length } };
}

/** Returns the date `days` after a date, as YYYY-MM-DD. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function ofRedLines({ notes, brief }: CodeFacts<CouncilBrief>): readonly Condition[] {
  return (redLineNote(notes)?.raised ?? []).flatMap(({ rule_id, role }) => {
    const rule = ruleOf(rule_id);
    if (rule === undefined) return [];
    const due = dayAfter(brief.startsOn, rule.dueDays);
    return [{ text: rule.condition, owner: role, due, asked_by: [role], rule_id }];
  });
}

function ofOpinions(facts: CodeFacts<CouncilBrief>): readonly Condition[] {
  return opinions(facts).flatMap(({ role, content }) =>
    content.conditions.map(({ text, owner, due_days }) => ({
      text,
      owner,
      due: dayAfter(facts.brief.startsOn, due_days),
      asked_by: [role],
    })),
  );
}

/** Merges conditions with equal text: keeps the earliest date and all roles that asked. */
function merged(conditions: readonly Condition[]): Condition[] {
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

function gapsOf(facts: CodeFacts<CouncilBrief>, exchanges: readonly Exchange[]): readonly Gap[] {
  const unknowns = (factNote(facts.notes)?.checks ?? [])
    .filter(({ verdict }) => verdict === 'unknown')
    .map(({ role, rule_id, text }) => ({ role, text: `${rule_id}: ${text}` }));
  const told = opinions(facts).flatMap(({ role, content }) =>
    content.gaps.map((text) => ({ role, text })),
  );
  const unanswered = exchanges
    .filter(({ is_supported }) => !is_supported)
    .map(({ to, question }) => ({ role: to, text: `without evidence: ${question}` }));
  return [...unknowns, ...told, ...unanswered];
}

/** The part of the facts that contributions are read from. */
type Said = Pick<CodeFacts<CouncilBrief>, 'turns' | 'seats'>;

/** Returns all questions in seat order, each with its answer if there is one. */
export function exchangesOf(facts: Said): Exchange[] {
  const answers = spokenIn(facts, 'answer').flatMap(({ role, turn }) => {
    const content = AnswerContent.safeParse(turn.content);
    return content.success ? content.data.answers.map((answer) => ({ ...answer, role })) : [];
  });
  return spokenIn(facts, 'question').flatMap(({ role, turn }) => {
    const content = QuestionContent.safeParse(turn.content);
    const questions = content.success ? content.data.questions : [];
    return questions.map(({ to, text }, place) => {
      const id = questionId(role, place);
      const answer = answers.find((one) => one.role === to && one.question_id === id);
      const evidence_ids = answer?.evidenceIds ?? [];
      return {
        ...{ from: role, to, question: text, evidence_ids },
        answer: answer?.text ?? null,
        is_supported: evidence_ids.length > 0,
      };
    });
  });
}

function opinions(facts: Said) {
  return spokenIn(facts, 'opinion').flatMap(({ role, turn }) => {
    const content = OpinionContent.safeParse(turn.content);
    return content.success ? [{ role, content: content.data }] : [];
  });
}

function spokenIn(
  { turns, seats }: Said,
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
