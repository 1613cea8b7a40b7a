import { createArbitrations } from '../../actors/arbitration/arbitrations.ts';
import { CaseIndex } from '../../actors/arbitration/case-index.ts';
import { createCaseProjector } from '../../actors/arbitration/case-projector.ts';
import { defineArbitration } from '../../actors/arbitration/definition.ts';
import { VerdictRedelivery } from '../../actors/arbitration/verdict-redelivery.ts';
import type { PanelDeps } from '../../actors/panel/panel-effects.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { EngineSetup } from '../../runtime/engine/engine.ts';

/** The dependencies of arbitrations. */
export interface ArbitrationDeps extends PanelDeps {
  readonly clock: Clock;
  readonly trust: Pick<TrustChain, 'signStatement'>;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** The running arbitration service. */
export interface OpenArbitrations {
  readonly arbitrations: Arbitrations;
  readonly index: CaseIndex;
  readonly projectors: readonly Projector[];
  stop(): Promise<void>;
}

/** Opens arbitrations of jobs on the board. */
export async function openArbitrations(
  { engine, define }: EngineSetup,
  parts: ArbitrationDeps,
): Promise<OpenArbitrations> {
  const { blobs, clock, notice } = parts;
  define(defineArbitration({ ...parts, engine: async () => engine }));
  const index = await CaseIndex.start(engine);
  const redelivery = await VerdictRedelivery.start({ engine, index, notice });
  return {
    index,
    arbitrations: createArbitrations({ engine, blobs, clock, index }),
    projectors: [createCaseProjector(parts)],
    stop: async () => {
      await redelivery.stop();
      index.close();
    },
  };
}
