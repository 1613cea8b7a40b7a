import { prepareArbitration } from '../../src/actors/arbitration/arbitration-order.ts';
import { createArbitrations } from '../../src/actors/arbitration/arbitrations.ts';
import { CaseIndex } from '../../src/actors/arbitration/case-index.ts';
import { defineArbitration } from '../../src/actors/arbitration/definition.ts';
import { prepareCouncil } from '../../src/actors/council/council-order.ts';
import { EvidenceOrder } from '../../src/domain/arbitration/case-view.ts';
import { ArbitrationRequest } from '../../src/domain/arbitration/request.ts';
import { AppError } from '../../src/domain/common/error.ts';
import { PRICE, WALLETS } from '../support/arbitration-world.ts';
import type { ConsoleHost } from '../support/browser-test.ts';
import { createMemoryPaymentChain } from '../support/chain-memory/memory-chain.ts';
import { COUNCIL_PRICE, councilRequest } from '../support/council.ts';
import { jobDouble } from '../support/disputed-job.ts';
import { systemRandom } from '../support/front-rig.ts';
import { realClock } from '../support/real-clock.ts';
import { type HeldLlm, heldLlm } from './held-llm.ts';
import { openStage } from './stage.ts';

const FAMILIES = ['gpt', 'claude', 'llama', 'qwen', 'mistral'];

/** A console over real councils and arbitrations, whose models follow a script. */
export interface PanelStage extends ConsoleHost {
  readonly models: HeldLlm;
  /** Begins a council. */
  council(jobId: string, request?: object): Promise<void>;
  /** Begins an arbitration of a disputed job of the same name with `board_` before it. */
  arbitration(jobId: string): Promise<void>;
  /** Hands evidence in for a side of that arbitration. */
  give(jobId: string, who: 'buyer' | 'provider', given: object): Promise<void>;
}

/** Opens one. */
export async function openPanelStage(): Promise<PanelStage> {
  const models = heldLlm(FAMILIES);
  const { llm } = models;
  const { trust } = createMemoryPaymentChain();
  const { engine, blobs, served, end } = await openStage({
    llm,
    own: (shared) => [
      defineArbitration({ ...shared, llm, trust, clock: realClock, engine: shared.engine }),
      jobDouble,
    ],
  });
  const index = await CaseIndex.start(engine);
  const delegations = { verifyChain: () => Promise.reject(new AppError('INTERNAL')) };
  const parts = {
    llm,
    blobs,
    engine,
    index,
    delegations,
    random: systemRandom,
    clock: realClock,
  };
  return {
    models,
    served,
    end,
    council: async (jobId, request = {}) => {
      const { kind, input } = await prepareCouncil(parts, councilRequest(request), COUNCIL_PRICE);
      await engine.create(kind, jobId, { ...input, jobId });
    },
    arbitration: async (jobId) => {
      const job_id = boardId(jobId);
      const openedAtS = Math.floor(Date.now() / 1_000);
      await engine.create('job', job_id, { ...WALLETS, openedAtS, jobId: job_id });
      const request = ArbitrationRequest.parse({ job_id, window_s: 86_400, seats: 5 });
      const by = {
        principal: { kind: 'local', id: 'test' },
        paymentId: `pay_${jobId}`,
        payer: WALLETS.buyer,
      } as const;
      const { kind, input } = await prepareArbitration(parts, request, PRICE, by);
      await engine.create(kind, jobId, { ...input, jobId });
    },
    give: async (jobId, who, given) => {
      const by = { wallet: WALLETS[who], key: `${jobId}:${who}:${JSON.stringify(given)}` };
      await createArbitrations(parts).submitEvidence(
        boardId(jobId),
        EvidenceOrder.parse(given),
        by,
      );
    },
  };
}

function boardId(jobId: string): string {
  return `board_${jobId}`;
}
