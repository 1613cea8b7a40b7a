import { planDebate, prepareDebate } from '../../actors/debate/debate-order.ts';
import type { OrderDeps } from '../../actors/panel/panel-order.ts';
import type { ReadDeps } from '../../actors/panel/panel-state.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { DebateRequest } from '../../domain/debate/request.ts';
import { DebateState } from '../../domain/debate/result.ts';
import { WAIT_S_MAX } from '../../domain/panel/records.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { runPanel } from '../panel/run-panel.ts';

/** Price of a debate, in micro-dollars. */
export const DEBATE_PRICE = toText(microUsd('2.00'));

/** What the tool works with. */
export interface DebateToolDeps extends OrderDeps, ReadDeps {
  readonly clock: Clock;
}

/** The tool that has a panel decide a question between options. */
export function debateTool(deps: DebateToolDeps): Tool<DebateRequest> {
  return {
    server: 'commerce',
    name: 'deliberation_multi-agent-debate',
    title: 'Multi-agent debate with a decision',
    description:
      'Has a panel of 5 to 11 agents decide a question between 2 to 8 options: independent ' +
      'openings, a few rebuttal rounds at most with anonymised peers, a secret ranked ' +
      'ballot, and a fixed counting ladder that always names a winner once a quorum has ' +
      'voted. Answers the decision with the rule used, whether it was forced, tally, ' +
      'dissent, changes of mind, cost, limits and a transcript bound by a Merkle root. ' +
      'Seats are language models if the operator has configured any, else decision ' +
      'procedures over your criteria and scores, or your own agent (seats_by "caller"). If ' +
      `it is not finished within wait_s (at most ${WAIT_S_MAX} s) you get a job_id for ` +
      'get_result. Without a quorum, or on a failure of ours, the price goes back. Progress' +
      ' is told on every finished turn.',
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    input: DebateRequest,
    output: DebateState,
    waits: ['wait_s'],
    price: { amount: DEBATE_PRICE, flow: 'upfront' },
    cancelTerms:
      'get_result with cancel: true ends the debate; the price less what the models have cost so ' +
      'far goes back on chain. Without a quorum, or when it fails on our side, all of it does.',
    ready: (request) => {
      const { mode, families } = planDebate(deps, request, DEBATE_PRICE);
      return { mode, families, seats: request.seats };
    },
    order: async (request) => (await prepareDebate(deps, request, DEBATE_PRICE)).order,
    run: (request, context) => runPanel(deps, context, request.wait_s),
  };
}
