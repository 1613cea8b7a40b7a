import type { PromptInput } from '../panel/definition.ts';
import {
  createDelimiter,
  DELIMITED_TEXT_NOTICE,
  type Delimit,
  toOneLine,
} from '../panel/delimiters.ts';
import type { TurnOrder, TurnPrompt } from '../panel/order.ts';
import { ARGUMENT_CHARS_MAX } from '../panel/records.ts';
import { createQuestionId, ITEM_CHARS_MAX, QuestionContent } from './content.ts';
import { readFactNote, readMergeNote, readRedLineNote } from './notes.ts';
import { answerSchema } from './prompt-schema.ts';
import type { CouncilBrief } from './records.ts';
import { ROLES } from './roles.ts';
import { COUNCIL_RULES } from './rules/rules.ts';

/**
 * Builds the prompt of a turn. Text of the brief and of other seats is delimited. Roles are named;
 * models, model families and vendors are not.
 */
export function buildCouncilPrompt(order: TurnOrder, facts: PromptInput<CouncilBrief>): TurnPrompt {
  const mark = createDelimiter(order);
  const { brief } = facts;
  const parts = [
    mark('question', '', brief.question),
    brief.background === undefined ? '' : mark('background', '', brief.background),
    buildOptionsPart(brief),
    ...brief.evidence.map((item) => mark('evidence', ` id="${item.evidenceId}"`, item.text)),
    buildFactsPart(order, facts, mark),
    buildRedLinesPart(facts, mark),
    buildViewPart(order, facts, mark),
    buildHeardPart(order, facts, mark),
    buildConditionsPart(facts, mark),
    buildTask(order),
  ];
  return {
    system: buildSystemPrompt(order),
    prompt: parts.filter((part) => part !== '').join('\n\n'),
    schema: answerSchema(order, brief),
  };
}

function buildSystemPrompt({ seat }: TurnOrder): string {
  const role = ROLES.find((one) => one.role === seat.role);
  return [
    `You sit on a procurement council as ${role?.title ?? seat.role} (${seat.role}). You are`,
    `responsible for ${role?.duty ?? 'your field'}. Leave other fields to the other roles.`,
    'Judge independently: a purchase is not good because others like it. What the brief does not',
    'show is a gap, never a point in favour. Figures that code recomputed override any claim.',
    DELIMITED_TEXT_NOTICE,
    'You may name your role. Say nothing else about who or what you are.',
    'Answer with exactly one JSON object and no other text.',
  ].join(' ');
}

function buildOptionsPart({ options }: CouncilBrief): string {
  const lines = options.map(({ optionId, name }) => `${optionId}: ${name}`);
  return `The options, by id:\n${lines.join('\n')}`;
}

function buildFactsPart(
  order: TurnOrder,
  { notes }: PromptInput<CouncilBrief>,
  mark: Delimit,
): string {
  const note = readFactNote(notes);
  if (note === undefined) return '';
  const checks = note.checks.filter(({ role }) => role === order.seat.role);
  const { checks: _all, ...figures } = note;
  const lines = checks.map(({ rule_id, verdict, title, text }) => {
    return `${rule_id} ${verdict}: ${title} (${toOneLine(text)})`;
  });
  return [
    'Recomputed by code from the facts of the brief; amounts are micro-dollars:',
    mark('figures', '', JSON.stringify(figures)),
    mark('checklist', ` role="${order.seat.role}"`, lines.join('\n')),
  ].join('\n');
}

function buildRedLinesPart({ notes }: PromptInput<CouncilBrief>, mark: Delimit): string {
  const lines = readRedLineNote(notes)?.raised ?? [];
  if (lines.length === 0) return '';
  const texts = lines.map(
    ({ rule_id, text, is_veto }) => `${rule_id}${is_veto ? ' (veto)' : ''}: ${toOneLine(text)}`,
  );
  const list = mark('red_lines', '', texts.join('\n'));
  return `Active red lines. Each one rules out an unconditional approval:\n${list}`;
}

function buildViewPart(
  { view }: TurnOrder,
  { textOf }: PromptInput<CouncilBrief>,
  mark: Delimit,
): string {
  if (view === undefined) return '';
  const own =
    view.own === null
      ? []
      : [mark('your_opinion', ` position="${view.own.position}"`, textOf(view.own.argumentSha))];
  const peers = view.peers.map(({ label, position, argumentSha }) =>
    mark('opinion', ` role="${label}" position="${position}"`, textOf(argumentSha)),
  );
  return [...own, ...peers].join('\n');
}

function buildHeardPart(order: TurnOrder, facts: PromptInput<CouncilBrief>, mark: Delimit): string {
  const heard = order.view?.heard ?? [];
  return heard
    .map(({ label, argumentSha, contentSha }) =>
      order.phase === 'answer' && contentSha !== undefined
        ? formatQuestionsFor(
            order.seat.role,
            { from: label, content: facts.contentOf(contentSha) },
            mark,
          )
        : mark('answers', ` role="${label}"`, facts.textOf(argumentSha)),
    )
    .join('\n');
}

function formatQuestionsFor(
  role: string,
  { from, content }: { readonly from: string; readonly content: unknown },
  mark: Delimit,
): string {
  const parsed = QuestionContent.safeParse(content);
  return (parsed.success ? parsed.data.questions : [])
    .map(({ to, text }, index) => ({ to, text, id: createQuestionId(from, index) }))
    .filter(({ to }) => to === role)
    .map(({ id, text }) => mark('question_to_you', ` id="${id}" role="${from}"`, text))
    .join('\n');
}

function buildConditionsPart({ notes }: PromptInput<CouncilBrief>, mark: Delimit): string {
  const conditions = readMergeNote(notes)?.conditions ?? [];
  if (conditions.length === 0) return '';
  const lines = conditions.map(
    ({ text, owner, due }) => `${toOneLine(text)} (${owner}, by ${due})`,
  );
  return `Conditions that seats asked for, merged:\n${mark('conditions', '', lines.join('\n'))}`;
}

function buildTask(order: TurnOrder): string {
  const confidence = 'confidence: 0 to 1, how sure you are.';
  switch (order.phase) {
    case 'opinion':
      return [
        'Your opinion. Nobody has spoken yet. Choose one option by its id (position) and argue it',
        `from your field, citing rule ids; argument: at most ${ARGUMENT_CHARS_MAX} characters.`,
        `${confidence} evidenceIds: the evidence that you rely on.`,
        'conditions: what must be done, by which role (owner), within how many days (due_days).',
        buildRedLineTask(order),
        'gaps: what you need to know and the brief does not show.',
      ].join('\n');
    case 'question':
      return [
        'Cross-examination. Ask named roles at most two questions whose answers could change the',
        `decision, or none. text: at most ${ITEM_CHARS_MAX} characters each.`,
      ].join('\n');
    case 'answer':
      return [
        'Answer your questions from the evidence alone and cite its ids. If the evidence does not',
        'show the answer, say so and cite nothing. question_id: as given.',
      ].join('\n');
    default:
      return [
        'The vote. Your ballot is secret and free: no earlier opinion binds you.',
        'ranking: all option ids, best first, each once. argument: why your first choice is first,',
        `at most ${ARGUMENT_CHARS_MAX} characters. ${confidence}`,
      ].join('\n');
  }
}

function buildRedLineTask({ seat }: TurnOrder): string {
  const own = COUNCIL_RULES.filter(({ role, isRedLine }) => isRedLine && role === seat.role);
  if (own.length === 0) return 'red_lines: leave empty; your role has none.';
  const list = own.map(({ ruleId, title }) => `${ruleId} (${title})`).join('; ');
  return [
    `red_lines: those of ${list} that the evidence shows to be crossed, with evidenceIds. Those`,
    'that the facts show are raised already.',
  ].join(' ');
}
