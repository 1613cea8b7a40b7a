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
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';

/** The dependencies of arbitrations that exist before the engine. */
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

/** The actor definition of arbitrations, and the function that starts them on their engine. */
export interface PreparedArbitrations {
  readonly definition: Definition;
  open(engine: ActorEngine): Promise<OpenArbitrations>;
}

/** Prepares arbitrations of jobs on the board. */
export function prepareArbitrations(parts: ArbitrationDeps): PreparedArbitrations {
  // Effects of the last process may start before their engine is available.
  let resolveEngine: (engine: ActorEngine) => void = () => undefined;
  const whenRunning = new Promise<ActorEngine>((resolve) => {
    resolveEngine = resolve;
  });
  return {
    definition: defineArbitration({ ...parts, engine: () => whenRunning }),
    open: async (engine) => {
      resolveEngine(engine);
      const { blobs, clock, notice } = parts;
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
    },
  };
}
