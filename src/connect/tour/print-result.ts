import { AppError } from '../../domain/common/error.ts';
import { DebateState } from '../../domain/debate/result.ts';
import type { TourOutput } from './tour-output.ts';

/** Result of a tool call from the MCP client. */
export interface ToolCallResult {
  readonly isError?: boolean | undefined;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Parses the state of a panel from the result of the debate tool or of `get_result`.
 *
 * @throws {AppError} `INTERNAL` with the text of an error result.
 */
export function parseState(answer: ToolCallResult): DebateState {
  if (answer.isError === true) {
    throw new AppError('INTERNAL', { message: answer.content?.[0]?.text ?? 'the call failed' });
  }
  return DebateState.parse(answer.structuredContent);
}

/** Prints decision, tally, dissent and cost of a finished panel; otherwise its status. */
export function printResult(page: TourOutput, state: DebateState): void {
  const { result } = state;
  if (result === undefined) {
    page.fact('status', state.status);
    return;
  }
  page.fact('decision', result.winner?.name ?? result.outcome);
  page.fact('by', `${result.rule ?? 'no rule'}${result.forced ? ' (forced)' : ''}`);
  for (const { name, votes } of result.tally?.first_choices ?? []) {
    page.fact('', `${name}: ${votes} first ${votes === 1 ? 'choice' : 'choices'}`);
  }
  for (const { seat, position, reason } of result.dissent) {
    page.fact('dissent', `${seat} for ${position.name}: ${reason.slice(0, 100)}`);
  }
  const { spent, price } = result.cost;
  page.fact('cost', `models $${spent.amount}; you paid $${price.amount}`);
  page.fact('transcript', `${state.transcript_uri} (root ${result.transcript_root ?? 'none'})`);
}
