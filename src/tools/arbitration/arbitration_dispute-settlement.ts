import {
  type ArbitrationOrderDeps,
  planArbiters,
  prepareArbitration,
} from '../../actors/arbitration/arbitration-order.ts';
import type { ReadDeps } from '../../actors/panel/panel-state.ts';
import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import { ArbitrationRequest } from '../../domain/arbitration/request.ts';
import { ArbitrationState } from '../../domain/arbitration/result.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import { runPanel } from '../panel/run-panel.ts';

/** Price of an arbitration, in micro-dollars (specification section 8). */
export const ARBITRATION_PRICE = toText(microUsd('5.00'));

/** What the tool works with, and what `get_result` takes evidence with. */
export interface ArbitrationToolDeps extends ArbitrationOrderDeps, ReadDeps {
  readonly clock: Clock;
  readonly arbitrations: Arbitrations;
  readonly wallets: WalletAuth;
}

const DESCRIPTION = [
  'Contest the settlement of a job of the board before a panel of 3 to 7 arbiters that the',
  'operator of this service runs. Only the buyer or the provider of the job may file: pay from',
  'its wallet, or name a delegation. Both hand in evidence within a window, each signed by its',
  'wallet: POST /a2a/jobs/{id}/evidence, or get_result with job_id of the job and evidence.',
  'Names are replaced, both sides get the same cap of words, and every seat judges twice with',
  'the sides swapped. The signed verdict is upheld (the settlement stands) or overturned. It',
  'decides an escrow that is in dispute only if both sides were heard; otherwise it is evidence',
  'and no money moves. Seats are language models if the operator has any, otherwise three fixed',
  'rules over the ledger and structured claims, which do not read texts. Returns a job_id for',
  'get_result. You are refunded if there is no quorum.',
].join(' ');

/** Who may pay, as the challenge says it. */
const FILED_BY =
  'the wallet of the buyer or the provider of the job, or a delegate with "jobs.arbitrate"';

/** The tool that has a panel judge the settlement of a job. */
export function arbitrationTool(deps: ArbitrationToolDeps): Tool<ArbitrationRequest> {
  return {
    server: 'commerce',
    name: 'arbitration_dispute-settlement',
    title: 'Arbitration of a settlement',
    description: DESCRIPTION,
    annotations: {
      readOnlyHint: false,
      // Its verdict may move what the escrow holds.
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    input: ArbitrationRequest,
    output: ArbitrationState,
    waits: ['wait_s'],
    price: { amount: ARBITRATION_PRICE, flow: 'upfront' },
    cancelTerms:
      'get_result with cancel: true ends the arbitration without a verdict; the price less what ' +
      'the models have cost so far goes back on chain. Without a quorum all of it does. A ' +
      'verdict that decides the escrow cannot be cancelled once the evidence is frozen.',
    ready: (request) => {
      const { mode, families, seats } = planArbiters(deps.llm, request, ARBITRATION_PRICE);
      const arbiter = 'panel of the operator of this service';
      const readsTexts = mode === 'llm';
      return {
        ...{ mode, families, seats: seats.length, arbiter },
        ...{ reads_texts: readsTexts, filed_by: FILED_BY },
      };
    },
    order: (request, by) => prepareArbitration(deps, request, ARBITRATION_PRICE, by),
    run: (request, context) => runPanel(deps, context, request.wait_s),
  };
}
