import type { Services } from '../../actors/common/services.ts';
import { planDebate, prepareDebate } from '../../actors/debate/debate-order.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { DebateRequest } from '../../domain/debate/request.ts';
import { DebateState } from '../../domain/debate/result.ts';
import { WAIT_S_MAX } from '../../domain/panel/records.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { awaitPaidPanel } from '../panel/await-paid-panel.ts';

const PRICE_USD = '2.00';
/** Price of a debate in micro-dollars. */
export const DEBATE_PRICE = formatMicroUsd(parseUsd(PRICE_USD));

/** Creates the tool `deliberation_multi-agent-debate`. */
export function debateTool(
  deps: Pick<Services, 'blobs' | 'clock' | 'engine' | 'llm' | 'random'>,
): Tool<DebateRequest> {
  return {
    server: 'commerce',
    name: 'deliberation_multi-agent-debate',
    title: 'Multi-agent debate with a decision',
    description:
      'Decide a question with a panel of 5 to 11 agents. They argue independently, rebut each ' +
      'other anonymously, then vote by secret ranked ballot. With a quorum, one option always ' +
      'wins. Returns the decision and whether it was forced, the tally, dissent, cost, and a ' +
      'verifiable transcript. Use it for a choice among 2 to 8 options; for a purchase with ' +
      'figures use procurement_council, for a dispute over a job ' +
      'arbitration_dispute-settlement. Seats are language models if the operator has any, else ' +
      'decision procedures over your criteria, or your own agent (seats_by "caller"). Progress ' +
      `is streamed. After wait_s (at most ${WAIT_S_MAX} s) you get a job_id for get_result. ` +
      `$${PRICE_USD}; refunded in full if there is no quorum or the server fails.`,
    summary:
      'Decide a question by 5 to 11 agents that argue, rebut and vote in secret: ' +
      'decision, tally, dissent, verifiable transcript. For a purchase use ' +
      'procurement_council. Full refund without a quorum.',
    example: { question: 'Which database should we use?', options: ['Postgres', 'SQLite'] },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    input: DebateRequest,
    output: DebateState,
    waitParameters: ['wait_s'],
    price: { amount: DEBATE_PRICE, flow: 'upfront' },
    cancelTerms:
      'Cancel with get_result and cancel: true. You are refunded the price less the model costs ' +
      'so far, on chain. You are refunded in full if there is no quorum or the server fails.',
    checkReady: (request) => {
      const { mode, families } = planDebate(deps, request, DEBATE_PRICE);
      return { mode, families, seats: request.seats };
    },
    order: async (request) => (await prepareDebate(deps, request, DEBATE_PRICE)).order,
    run: (request, context) => awaitPaidPanel(deps, context, request.wait_s),
  };
}
