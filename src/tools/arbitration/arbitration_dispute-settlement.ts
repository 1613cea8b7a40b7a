import { planArbiters, prepareArbitration } from '../../actors/arbitration/arbitration-order.ts';
import type { CaseIndex } from '../../actors/arbitration/case-index.ts';
import type { Services } from '../../actors/common/services.ts';
import type { PanelReadDeps } from '../../actors/panel/panel-state.ts';
import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import { ArbitrationRequest } from '../../domain/arbitration/request.ts';
import { ArbitrationState } from '../../domain/arbitration/result.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import type { Delegations } from '../../domain/passport/delegations.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { awaitPaidPanel } from '../panel/await-paid-panel.ts';

const PRICE_USD = '5.00';
/** Price of an arbitration in micro-dollars (specification section 8). */
export const ARBITRATION_PRICE = formatMicroUsd(parseUsd(PRICE_USD));

/** The services of the tool; `get_result` shares some of them to accept evidence. */
export interface ArbitrationServices
  extends PanelReadDeps,
    Pick<Services, 'clock' | 'llm' | 'random' | 'wallets'> {
  readonly arbitrations: Arbitrations;
  readonly delegations: Pick<Delegations, 'verifyChain'>;
  readonly index: CaseIndex;
}

const DESCRIPTION = [
  'Contest the settlement of a board job before a panel of 3 to 7 arbiters that the operator of',
  'this service runs. Only the buyer or the provider may file: pay from its wallet, or name a',
  'delegation. Both sides submit signed evidence within a window, by POST /a2a/jobs/{id}/evidence',
  'or get_result. Names are replaced, and every seat judges twice with sides swapped. The signed',
  'verdict is upheld (the settlement stands) or overturned. It decides an escrow in dispute only',
  'if both sides were heard. Seats are language models if the operator has any, else three fixed',
  'rules over ledger and claims, which do not read texts. Returns a job_id for get_result.',
  `$${PRICE_USD}; refunded in full without a quorum.`,
].join(' ');

/** Who may pay, as stated in the challenge. */
const FILED_BY =
  'the wallet of the buyer or the provider of the job, or a delegate with "jobs.arbitrate"';

/** Creates the tool `arbitration_dispute-settlement`. */
export function arbitrationTool(deps: ArbitrationServices): Tool<ArbitrationRequest> {
  return {
    server: 'commerce',
    name: 'arbitration_dispute-settlement',
    title: 'Arbitration of a disputed settlement',
    description: DESCRIPTION,
    summary:
      'Contest the settlement of a board job before 3 to 7 arbiters. Only a party may ' +
      'file; both submit signed evidence. Returns a job_id. Full refund without a ' +
      'quorum.',
    example: { job_id: 'job_3f9a' },
    annotations: {
      readOnlyHint: false,
      // The verdict can move the money in the escrow.
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    input: ArbitrationRequest,
    output: ArbitrationState,
    waitParameters: ['wait_s'],
    price: { amount: ARBITRATION_PRICE, flow: 'upfront' },
    cancelTerms:
      'Cancel with get_result and cancel: true. You get no verdict and are refunded the price ' +
      'less the model costs so far, on chain. Without a quorum you are refunded in full. A ' +
      'verdict that decides the escrow cannot be cancelled once the evidence is frozen.',
    checkReady: (request) => {
      const { mode, families, seats } = planArbiters(deps.llm, request, ARBITRATION_PRICE);
      const arbiter = 'panel of the operator of this service';
      const readsTexts = mode === 'llm';
      return {
        mode,
        families,
        seats: seats.length,
        arbiter,
        reads_texts: readsTexts,
        filed_by: FILED_BY,
      };
    },
    order: (request, by) => prepareArbitration(deps, request, ARBITRATION_PRICE, by),
    run: (request, context) => awaitPaidPanel(deps, context, request.wait_s),
  };
}
