import type { DebateResult, DebateState, NeededTurn } from '../../domain/debate/result.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ContentBlock, ToolResult } from '../../domain/tool.ts';

/** Words a debate for its caller: the decision first, everything in `structuredContent`. */
export function debateAnswer(state: DebateState): ToolResult {
  const link: ContentBlock = {
    type: 'resource_link',
    uri: state.transcript_uri,
    name: 'Transcript of the panel',
    mimeType: 'application/json',
  };
  return {
    content: [{ type: 'text', text: linesOf(state).join('\n') }, link],
    structuredContent: JSON.parse(JSON.stringify(state)) as JsonObject,
    ...(state.status === 'failed' ? { isError: true } : {}),
  };
}

function linesOf(state: DebateState): readonly string[] {
  const { result } = state;
  if (result !== undefined) return resultLines(state, result);
  if (state.needs_turns !== undefined) return neededLines(state, state.needs_turns);
  return [
    `Working: ${state.phase}, ${progress(state)}. No decision yet.`,
    positionsLine(state),
    `Ask get_result with job_id ${state.job_id} again, or cancel it there with cancel: true.`,
    costLine(state),
    `Transcript so far: ${state.transcript_uri}`,
  ].filter((line) => line !== '');
}

function resultLines(state: DebateState, result: DebateResult): readonly string[] {
  const { tally, dissent, flips, limits } = result;
  return [
    headline(result),
    ...(tally === null ? [] : [tallyLine(tally)]),
    ...dissent.map(
      ({ seat, position, reason }) => `Dissent: seat ${seat} for ${position.name}: ${reason}`,
    ),
    ...(flips.length > 0 ? [`Changes of mind: ${flips.map(flipText).join(', ')}`] : []),
    costLine(state),
    ...(result.refund === null ? [] : [`Refund due: $${result.refund.amount}`]),
    panelLine(state),
    'Limits:',
    ...limits.map((limit) => `- ${limit}`),
    `Transcript: ${state.transcript_uri}${rootText(result)}`,
    `Job: ${state.job_id}`,
  ];
}

function headline({ outcome, winner, rule, forced, reason }: DebateResult): string {
  switch (outcome) {
    case 'decided':
      return `Decision: ${winner?.name ?? ''} (${ruleText(rule, forced)})`;
    case 'no_quorum':
      return `No decision: no quorum. ${reason ?? ''}`.trim();
    case 'cancelled':
      return `Cancelled: no decision. ${reason ?? ''}`.trim();
    case 'failed':
      return `Failed: no decision. ${reason ?? ''}`.trim();
  }
}

const RULES: Record<NonNullable<DebateResult['rule']>, string> = {
  majority: 'by majority of first choices',
  instant_runoff: 'by instant runoff',
  borda_tiebreak: 'by Borda points after a tie',
  chair_casting_vote: "by the chair's casting vote after a tie",
  status_quo_default: 'by the default for ties',
};

function ruleText(rule: DebateResult['rule'], forced: boolean): string {
  return `${RULES[rule ?? 'majority']}${forced ? ', forced' : ''}`;
}

function panelLine({ seats, families, mode }: DebateState): string {
  const spread = `${families} ${families === 1 ? 'family' : 'families'}`;
  return `Panel: ${seats} seats, ${spread}, mode ${mode}`;
}

function tallyLine(tally: NonNullable<DebateResult['tally']>): string {
  const counts = tally.first_choices.map(({ name, votes }) => `${name} ${votes}`).join(', ');
  const { cast, seats, quorum, rounds } = tally;
  const runoff = rounds.length > 0 ? `; ${rounds.length} runoff rounds` : '';
  return `Tally: ${counts} (${cast} of ${seats} ballots, quorum ${quorum}${runoff})`;
}

function flipText({ seat, from, to, supported }: DebateResult['flips'][number]): string {
  return `seat ${seat} ${from} to ${to}${supported === false ? ' (unsupported)' : ''}`;
}

function costLine({ cost }: DebateState): string {
  const unpriced = cost.unpriced_turns > 0 ? `, ${cost.unpriced_turns} turns unpriced` : '';
  const spent = `$${cost.spent.amount} of at most $${cost.budget.amount}`;
  return `Cost: ${spent}${unpriced}; price $${cost.price.amount}`;
}

function positionsLine({ positions }: DebateState): string {
  if (positions.length === 0) return '';
  return `Positions now: ${positions.map(({ name, seats }) => `${name} ${seats}`).join(', ')}`;
}

function progress(state: DebateState): string {
  return `${state.turns_done} of ${state.turns_planned} turns`;
}

function rootText({ transcript_root }: DebateResult): string {
  return transcript_root === null ? '' : ` (Merkle root ${transcript_root})`;
}

/** Equal prompts stand once, with all turns that they are for. */
function neededLines(state: DebateState, needed: readonly NeededTurn[]): readonly string[] {
  const prompts = [...new Set(needed.map(({ prompt }) => prompt))];
  const [first] = needed;
  return [
    `Your turn: ${needed.length} turns are needed (${state.phase}, ${progress(state)}).`,
    `Answer each on its own, then call get_result with job_id ${state.job_id} and ` +
      'turns: [{turn_id, answer}].',
    `For every turn: ${first?.system ?? ''}`,
    ...prompts.flatMap((prompt) => promptLines(needed.filter((turn) => turn.prompt === prompt))),
  ];
}

function promptLines(turns: readonly NeededTurn[]): readonly string[] {
  const [first] = turns;
  return [
    '',
    `--- ${turns.map((turn) => turn.turn_id).join(', ')} ---`,
    first?.prompt ?? '',
    `The answer fits: ${JSON.stringify(first?.schema)}`,
  ];
}
