import { createArbitrations } from '../../actors/arbitration/arbitrations.ts';
import { CaseIndex } from '../../actors/arbitration/case-index.ts';
import { caseTeller } from '../../actors/arbitration/case-teller.ts';
import { defineArbitration } from '../../actors/arbitration/definition.ts';
import { VerdictKeeper } from '../../actors/arbitration/verdict-keeper.ts';
import type { PanelDeps } from '../../actors/panel/panel-effects.ts';
import type { Teller } from '../../actors/proof/teller.ts';
import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';

/** The dependencies of arbitrations that exist before the engine. */
export interface ArbitrationParts extends PanelDeps {
  readonly clock: Clock;
  readonly trust: Pick<TrustChain, 'signStatement'>;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** The running arbitration service. */
export interface OpenArbitrations {
  readonly arbitrations: Arbitrations;
  readonly index: CaseIndex;
  readonly tellers: readonly Teller[];
  stop(): Promise<void>;
}

/** The actor definition of arbitrations, and the function that starts them on their engine. */
export interface PreparedArbitrations {
  readonly definition: Definition;
  open(engine: ActorEngine): Promise<OpenArbitrations>;
}

/** Prepares arbitrations of jobs on the board. */
export function prepareArbitrations(parts: ArbitrationParts): PreparedArbitrations {
  // Effects of the last process may start before their engine is available.
  let begin: (engine: ActorEngine) => void = () => undefined;
  const running = new Promise<ActorEngine>((resolve) => {
    begin = resolve;
  });
  return {
    definition: defineArbitration({ ...parts, engine: () => running }),
    open: async (engine) => {
      begin(engine);
      const { blobs, clock, notice } = parts;
      const index = await CaseIndex.open(engine);
      const keeper = await VerdictKeeper.open({ engine, index, notice });
      return {
        index,
        arbitrations: createArbitrations({ engine, blobs, clock, index }),
        tellers: [caseTeller(parts)],
        stop: async () => {
          await keeper.stop();
          index.close();
        },
      };
    },
  };
}
