import type { JsonObject } from '../../domain/common/json.ts';
import { joinResponse } from '../../domain/common/readable.ts';
import type { PanelDefinition, PanelResult } from '../../domain/panel/definition.ts';
import { findPanel, PANELS } from '../../domain/panel/panels.ts';
import type { NeededTurn, PanelState } from '../../domain/panel/result.ts';
import type { ContentBlock, ToolResult } from '../../domain/tool/tool-result.ts';

/** Formats a panel for its caller: the decision first, everything in `structuredContent`. */
export function formatPanel(
  state: PanelState,
  panels: readonly PanelDefinition[] = PANELS,
): ToolResult {
  const link: ContentBlock = {
    type: 'resource_link',
    uri: state.transcript_uri,
    name: 'Transcript of the panel',
    mimeType: 'application/json',
  };
  return {
    content: [{ type: 'text', text: panelText(state, panels) }, link],
    structuredContent: JSON.parse(JSON.stringify(state)) as JsonObject,
    ...(state.status === 'failed' ? { isError: true } : {}),
  };
}

/** The result of a panel, and the list of panel kinds. */
interface PanelOutcome {
  readonly result: PanelResult;
  readonly panels: readonly PanelDefinition[];
}

function panelText(state: PanelState, panels: readonly PanelDefinition[]): string {
  const { result, needs_turns: needed } = state;
  // Prompts go to the caller's own models; untrusted texts in them are already delimited.
  if (result === undefined && needed !== undefined)
    return neededTurnLines(state, needed).join('\n');
  return joinResponse(panelLines(state, panels));
}

function panelLines(state: PanelState, panels: readonly PanelDefinition[]): readonly string[] {
  const { result } = state;
  if (result !== undefined) return resultLines(state, { result, panels });
  return [
    `Working: ${state.phase}, ${formatProgress(state)}. No decision yet.`,
    positionsLine(state),
    `Call get_result with job_id ${state.job_id} again, or cancel with cancel: true.`,
    costLine(state),
    `Transcript so far: ${state.transcript_uri}`,
  ].filter((line) => line !== '');
}

function resultLines(state: PanelState, { result, panels }: PanelOutcome): readonly string[] {
  const { limits } = result;
  return [
    ...findPanel(state.kind, panels).resultLines(result),
    costLine(state),
    ...(result.refund === null ? [] : [`Refund due: $${result.refund.amount}`]),
    panelLine(state),
    'Limits:',
    ...limits.map((limit) => `- ${limit}`),
    `Transcript: ${state.transcript_uri}${rootText(result)}`,
    `Job: ${state.job_id}`,
  ];
}

function panelLine({ seats, families, mode }: PanelState): string {
  const spread = `${families} ${families === 1 ? 'family' : 'families'}`;
  return `Panel: ${seats} seats, ${spread}, mode ${mode}`;
}

function costLine({ cost }: PanelState): string {
  const unpriced = cost.unpriced_turns > 0 ? `, ${cost.unpriced_turns} turns unpriced` : '';
  const spent = `$${cost.spent.amount} of at most $${cost.budget.amount}`;
  return `Cost: ${spent}${unpriced}; price $${cost.price.amount}`;
}

function positionsLine({ positions }: PanelState): string {
  if (positions.length === 0) return '';
  return `Positions now: ${positions.map(({ name, seats }) => `${name} ${seats}`).join(', ')}`;
}

function formatProgress(state: PanelState): string {
  return `${state.turns_done} of ${state.turns_planned} turns`;
}

function rootText({ transcript_root }: PanelResult): string {
  return transcript_root === null ? '' : ` (Merkle root ${transcript_root})`;
}

/** Lists each distinct prompt once, with all its turns. */
function neededTurnLines(state: PanelState, needed: readonly NeededTurn[]): readonly string[] {
  const prompts = [...new Set(needed.map(({ prompt }) => prompt))];
  const [first] = needed;
  return [
    `Your turn: ${needed.length} turns are needed (${state.phase}, ${formatProgress(state)}).`,
    `Answer each one separately, then call get_result with job_id ${state.job_id} and ` +
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
    `The answer must match: ${JSON.stringify(first?.schema)}`,
  ];
}
