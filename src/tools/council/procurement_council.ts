import {
  type CouncilDeps,
  planCouncil,
  prepareCouncil,
} from '../../actors/council/council-order.ts';
import type { ReadDeps } from '../../actors/panel/panel-state.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { CouncilRequest } from '../../domain/council/request.ts';
import { CouncilState } from '../../domain/council/result.ts';
import { WAIT_S_MAX } from '../../domain/panel/records.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { runPanel } from '../panel/run-panel.ts';

/** Price of a council, in micro-dollars. */
export const COUNCIL_PRICE = toText(microUsd('4.00'));

/** What the tool works with. */
export type CouncilToolDeps = CouncilDeps & ReadDeps;

/** The tool that has a council of roles judge a purchase. */
export function councilTool(deps: CouncilToolDeps): Tool<CouncilRequest> {
  return {
    server: 'commerce',
    name: 'procurement_council',
    title: 'Procurement council',
    description:
      'Has 5 to 11 roles (CFO, CIO, CISO, procurement lead, legal, then end user, operations, ' +
      'ESG, architect, audit, risk) judge a purchase: approve, approve with conditions, reject ' +
      'or defer. Code recomputes cost of the term, payback and budget left from your price lines ' +
      'and names stated numbers that are wrong. Red lines (no multi-factor sign-in, personal ' +
      'data unencrypted, no data processing agreement, over budget) leave no plain approval, or ' +
      'are vetoes if policy.veto names the role. Roles give opinions, question each other once, ' +
      'and vote by secret ballot. Answers the decision with conditions, owners and dates, ' +
      'figures, dissent, evidence gaps, limits and a transcript bound by a Merkle root. Roles ' +
      'are filled by language models if the operator has any, else by checklists over your ' +
      'facts that cite rule ids, or by your own agent (seats_by "caller"). If it is not finished ' +
      `within wait_s (at most ${WAIT_S_MAX} s) you get a job_id for get_result. Without a quorum ` +
      'the price goes back.',
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    input: CouncilRequest,
    output: CouncilState,
    waits: ['wait_s'],
    price: { amount: COUNCIL_PRICE, flow: 'upfront' },
    cancelTerms:
      'get_result with cancel: true ends the council; the price less what the models have cost ' +
      'so far goes back on chain. Without a quorum, or when it fails on our side, all of it does.',
    ready: (request) => {
      const { mode, families } = planCouncil(deps, request, COUNCIL_PRICE);
      return { mode, families, seats: request.seats };
    },
    order: (request) => prepareCouncil(deps, request, COUNCIL_PRICE),
    run: (request, context) => runPanel(deps, context, request.wait_s),
  };
}
