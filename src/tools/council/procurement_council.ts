import type { Services } from '../../actors/common/services.ts';
import { planCouncil, prepareCouncil } from '../../actors/council/council-order.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { CouncilRequest } from '../../domain/council/request.ts';
import { CouncilState } from '../../domain/council/result.ts';
import { WAIT_S_MAX } from '../../domain/panel/records.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { awaitPaidPanel } from '../panel/await-paid-panel.ts';

const PRICE_USD = '4.00';
/** Price of a council in micro-dollars. */
export const COUNCIL_PRICE = formatMicroUsd(parseUsd(PRICE_USD));

/** Creates the tool `procurement_council`. */
export function councilTool(
  deps: Pick<Services, 'blobs' | 'clock' | 'engine' | 'llm' | 'random'>,
): Tool<CouncilRequest> {
  return {
    server: 'commerce',
    name: 'procurement_council',
    title: 'Procurement council for a purchase',
    description:
      'Decide on a purchase with a council of 5 to 11 roles, from CFO, CIO, CISO, procurement ' +
      'lead and legal to audit and risk. They question each other once and vote by secret ' +
      'ballot. Returns approve, approve with conditions, reject or defer, with owners, dates, ' +
      'figures, dissent, evidence gaps and a verifiable transcript. Code recomputes term cost, ' +
      'payback and remaining budget from your prices. Red lines, such as over budget, exclude ' +
      'plain approval. Roles are language models if the operator has any, else checklists over ' +
      'your facts, or your own agent (seats_by "caller"). For other decisions use ' +
      `deliberation_multi-agent-debate. After wait_s (${WAIT_S_MAX} s at most) you get a ` +
      `job_id. $${PRICE_USD}; refunded in full without a quorum or if the server fails.`,
    summary:
      'Decide on a purchase by 5 to 11 roles, from CFO to risk: approve, with ' +
      'conditions, reject or defer, with figures and dissent. For other choices use ' +
      'deliberation_multi-agent-debate. Full refund without a quorum.',
    example: {
      vendor: 'Acme',
      product: 'Ticket system',
      facts: {
        money: {
          budget_usd: '50000',
          prices: [{ name: 'licence', kind: 'recurring', amount_usd: '12000' }],
        },
      },
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    input: CouncilRequest,
    output: CouncilState,
    waitParameters: ['wait_s'],
    price: { amount: COUNCIL_PRICE, flow: 'upfront' },
    cancelTerms:
      'Cancel with get_result and cancel: true. You are refunded the price less the model costs ' +
      'so far, on chain. You are refunded in full if there is no quorum or the server fails.',
    checkReady: (request) => {
      const { mode, families } = planCouncil(deps, request, COUNCIL_PRICE);
      return { mode, families, seats: request.seats };
    },
    order: (request) => prepareCouncil(deps, request, COUNCIL_PRICE),
    run: (request, context) => awaitPaidPanel(deps, context, request.wait_s),
  };
}
