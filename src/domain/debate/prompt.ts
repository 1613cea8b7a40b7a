import {
  createDelimiter,
  DELIMITED_TEXT_NOTICE,
  type Delimit,
  toOneLine,
} from '../panel/delimiters.ts';
import type { TurnOrder, TurnPrompt } from '../panel/order.ts';
import { ARGUMENT_CHARS_MAX, type TurnPhase } from '../panel/records.ts';
import type { DebateBrief } from './records.ts';

/**
 * Builds the prompt of a turn. Third-party text is delimited with a nonce and its angle brackets
 * are escaped, so that it cannot close its delimiter. The prompt names no seat, model, family or
 * vendor.
 *
 * @param textOf - Returns an argument by its hash.
 */
export function buildTurnPrompt(
  order: TurnOrder,
  brief: DebateBrief,
  textOf: (sha: string) => string,
): TurnPrompt {
  const delimit = createDelimiter(order);
  const parts = [
    delimit('question', '', brief.question),
    brief.background === undefined ? '' : delimit('background', '', brief.background),
    buildOptionsPart(brief, delimit),
    buildCriteriaPart(brief, delimit),
    ...brief.evidence.map((item) => delimit('evidence', ` id="${item.evidenceId}"`, item.text)),
    buildPeersPart(order, delimit, textOf),
    buildTask(order, brief),
  ];
  return {
    system: SYSTEM,
    prompt: parts.filter((part) => part !== '').join('\n\n'),
    schema: buildAnswerSchema(order.phase, brief),
  };
}

const SYSTEM = [
  'You are one of several independent members of a panel. The panel decides one question by',
  'secret ballot; a fixed counting rule, not a member, turns the ballots into the decision.',
  'Judge for yourself: agreeing is worth nothing unless the reasons hold, and so is dissent.',
  DELIMITED_TEXT_NOTICE,
  'Say nothing about who or what you are. Answer with exactly one JSON object and no other text.',
].join(' ');

function buildOptionsPart(brief: DebateBrief, mark: Delimit): string {
  const lines = brief.options.map((option) => {
    const scores = brief.criteria.flatMap(({ criterionId }) => {
      const score = option.scores?.[criterionId];
      return score === undefined ? [] : [`${criterionId}=${score}`];
    });
    const tail = scores.length > 0 ? ` [scores: ${scores.join(', ')}]` : '';
    const description = formatDescription(option.description);
    return `${option.optionId}: ${toOneLine(option.name)}${description}${tail}`;
  });
  return `The options, by id:\n${mark('options', '', lines.join('\n'))}`;
}

function formatDescription(description: string | undefined): string {
  return description === undefined ? '' : ` - ${toOneLine(description)}`;
}

function buildCriteriaPart(brief: DebateBrief, mark: Delimit): string {
  if (brief.criteria.length === 0) return '';
  const lines = brief.criteria.map(
    ({ criterionId, name, weight, higherIsBetter }) =>
      `${criterionId}: ${toOneLine(name)}, weight ${weight}, ` +
      `${higherIsBetter ? 'higher' : 'lower'} is better`,
  );
  return `The criteria, by id:\n${mark('criteria', '', lines.join('\n'))}`;
}

function buildPeersPart(order: TurnOrder, mark: Delimit, textOf: (sha: string) => string): string {
  const { view } = order;
  if (view === undefined) return '';
  const parts: string[] = [];
  if (view.own !== null) {
    const { position, argumentSha } = view.own;
    parts.push(mark('your_last_argument', ` position="${position}"`, textOf(argumentSha)));
  }
  for (const { label, position, argumentSha } of view.peers) {
    parts.push(mark('peer', ` label="${label}" position="${position}"`, textOf(argumentSha)));
  }
  if (view.counts !== undefined) {
    const counts = Object.entries(view.counts).map(([option, n]) => `${option}: ${n}`);
    parts.push(`Members per option at the moment: ${counts.join(', ')}.`);
  }
  return parts.join('\n');
}

function buildTask(order: TurnOrder, brief: DebateBrief): string {
  const cite =
    brief.evidence.length > 0
      ? 'List the ids of the evidence that you rely on in evidenceIds.'
      : 'There is no evidence to cite: leave evidenceIds empty.';
  const bounds = `argument: at most ${ARGUMENT_CHARS_MAX} characters (aim for 400). ${cite}`;
  const confidence = 'confidence: 0 to 1, how likely it is that your choice is the right one.';
  switch (order.phase) {
    case 'opening':
      return [
        'Your opening. Nobody has spoken yet. Choose one option by its id (position) and argue it.',
        `${bounds} ${confidence} Set changed to false and changeReason to null.`,
      ].join('\n');
    case 'rebuttal':
      return [
        order.devilAgainst === undefined ? REBUTTAL_TASK : buildDevilTask(order.devilAgainst),
        bounds,
      ]
        .concat(confidence)
        .join('\n');
    default:
      return [
        'The vote. Your ballot is secret and free: no earlier argument binds you.',
        'ranking: all option ids, best first, each once. argument: why your first choice is first,',
        `at most ${ARGUMENT_CHARS_MAX} characters. ${confidence}`,
      ].join('\n');
  }
}

const REBUTTAL_TASK = [
  'Your rebuttal. Test the strongest point against you. Keep your position unless new evidence or',
  'an error in your own reasoning moves you. If you change, set changed to true and let',
  'changeReason begin with "error:" and name the error, or cite evidence that you had not',
  'cited before.',
  'If you keep it, set changed to false and changeReason to null.',
].join(' ');

function buildDevilTask(optionId: string): string {
  return [
    `You are assigned to argue against option ${optionId}, which leads at the moment: show how`,
    'choosing it would fail, as strongly as the facts allow, whatever you think yourself. As',
    'position give the best alternative. This argument is not your vote; your ballot stays free.',
    'Set changed to false and changeReason to null.',
  ].join(' ');
}

function buildAnswerSchema(phase: TurnPhase, brief: DebateBrief): TurnPrompt['schema'] {
  const optionIds = brief.options.map((option) => option.optionId);
  const evidenceIds = brief.evidence.map((item) => item.evidenceId);
  const option = { type: 'string', enum: optionIds };
  const common = {
    argument: { type: 'string', maxLength: ARGUMENT_CHARS_MAX },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
  };
  const properties =
    phase === 'vote'
      ? { ranking: { type: 'array', items: option }, ...common }
      : {
          position: option,
          ...common,
          evidenceIds: {
            type: 'array',
            items:
              evidenceIds.length > 0 ? { type: 'string', enum: evidenceIds } : { type: 'string' },
          },
          changed: { type: 'boolean' },
          changeReason: { type: ['string', 'null'] },
        };
  const required = Object.keys(properties);
  const jsonSchema = { type: 'object', properties, required, additionalProperties: false };
  return { name: `panel_${phase}`, jsonSchema };
}
