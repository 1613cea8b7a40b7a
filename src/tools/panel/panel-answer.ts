import {
  type PanelReadDeps,
  readWinningReason,
  type WinningReason,
} from '../../actors/panel/panel-state.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { quoteText } from '../../domain/common/readable.ts';
import type { PanelDefinition, PanelResult } from '../../domain/panel/definition.ts';
import { findPanel, PANELS } from '../../domain/panel/panels.ts';
import type { NeededTurn, PanelState } from '../../domain/panel/result.ts';
import { composeResult, RESULTS_PATH } from '../../domain/tool/result-text.ts';
import type { ContentBlock, ToolResult } from '../../domain/tool/tool-result.ts';

/** What the text of a panel needs beside its state. */
export interface PanelTextFacts {
  /** Known panels. Default: all. */
  readonly panels?: readonly PanelDefinition[] | undefined;
  readonly origin?: string | undefined;
  readonly reason?: WinningReason | undefined;
}

/** Formats a panel for its caller, with the reason of a seat that voted for the winner. */
export async function answerPanel(
  deps: PanelReadDeps,
  state: PanelState,
  origin: string | undefined,
): Promise<ToolResult> {
  const reason = await readWinningReason(deps, state);
  return formatPanel(state, { panels: deps.panels, origin, reason });
}

/** Formats a panel for its caller: the decision first, everything in `structuredContent`. */
export function formatPanel(state: PanelState, facts: PanelTextFacts = {}): ToolResult {
  const link: ContentBlock = {
    type: 'resource_link',
    uri: state.transcript_uri,
    name: 'Transcript of the panel',
    mimeType: 'application/json',
  };
  const text = composeResult({
    decidedBy: describeSeats(state),
    cost: formatCosts(state),
    see: `${RESULTS_PATH}/${state.job_id}`,
    origin: facts.origin,
    ...describePanel(state, facts),
  });
  return {
    content: [{ type: 'text', text }, link],
    structuredContent: JSON.parse(JSON.stringify(state)) as JsonObject,
    ...(state.status === 'failed' ? { isError: true } : {}),
  };
}

function describePanel(state: PanelState, facts: PanelTextFacts) {
  const { result, needs_turns: needed } = state;
  if (result !== undefined) return describeResult(state, result, facts);
  if (needed !== undefined) return describeNeededTurns(state, needed);
  return {
    answer: `Working: ${state.phase}, ${formatProgress(state)}. No decision yet.`,
    why: describePositions(state),
    details: [
      `Call get_result with job_id ${state.job_id} again, or cancel with cancel: true.`,
      `Transcript so far: ${state.transcript_uri}`,
    ],
  };
}

function describeResult(
  state: PanelState,
  result: PanelResult,
  { panels = PANELS, reason }: PanelTextFacts,
) {
  const { why, details, ...text } = findPanel(state.kind, panels).resultText(result);
  const said = reason === undefined ? '' : `; ${reason.seat}: ${quoteText(reason.reason)}`;
  return {
    ...text,
    why: `${why}${said}`,
    details: [
      ...details,
      'Limits:',
      ...result.limits.map((limit) => `- ${limit}`),
      `Job: ${state.job_id}`,
    ],
    proofs: [`Transcript: ${state.transcript_uri}${formatRoot(result)}`],
  };
}

function describeSeats({ seats, families, mode }: PanelState): string {
  const spread = `${families} ${families === 1 ? 'family' : 'families'}`;
  return `${seats} seats, ${spread}, mode ${mode}`;
}

function formatCosts({ cost, result }: PanelState): string {
  const unpriced = cost.unpriced_turns > 0 ? `, ${cost.unpriced_turns} turns unpriced` : '';
  const spent = `models $${cost.spent.amount} of at most $${cost.budget.amount}${unpriced}`;
  const refund = result?.refund ?? null;
  const due = refund === null ? '' : `; Refund due: $${refund.amount}`;
  return `$${cost.price.amount}; ${spent}${due}`;
}

function describePositions({ positions }: PanelState): string {
  if (positions.length === 0) return 'no seat has a position yet.';
  return `positions now: ${positions.map(({ name, seats }) => `${name} ${seats}`).join(', ')}`;
}

function formatProgress(state: PanelState): string {
  return `${state.turns_done} of ${state.turns_planned} turns`;
}

function formatRoot({ transcript_root }: PanelResult): string {
  return transcript_root === null ? '' : ` (Merkle root ${transcript_root})`;
}

/** Shows each distinct prompt once, with all its turns. */
function describeNeededTurns(state: PanelState, needed: readonly NeededTurn[]) {
  const prompts = [...new Set(needed.map(({ prompt }) => prompt))];
  const [first] = needed;
  return {
    answer:
      `Your turn: ${needed.length} turns are needed ` +
      `(${state.phase}, ${formatProgress(state)}).`,
    why: 'your own agent fills the seats.',
    details: [
      `Answer each one separately, then call get_result with job_id ${state.job_id} and ` +
        'turns: [{turn_id, answer}].',
    ],
    // Prompts go to the caller's own models; untrusted texts in them are already delimited.
    blocks: [
      `For every turn: ${first?.system ?? ''}`,
      ...prompts.flatMap((prompt) => promptLines(needed.filter((turn) => turn.prompt === prompt))),
    ],
  };
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
