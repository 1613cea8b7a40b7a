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

/** What arbitrations are made from before there is an engine. */
export interface ArbitrationParts extends PanelDeps {
  readonly clock: Clock;
  readonly trust: Pick<TrustChain, 'signStatement'>;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
}

/** Arbitrations, running. */
export interface OpenArbitrations {
  readonly arbitrations: Arbitrations;
  readonly index: CaseIndex;
  readonly tellers: readonly Teller[];
  stop(): Promise<void>;
}

/** The kind of arbitrations, and how they are opened once their engine runs. */
export interface PreparedArbitrations {
  readonly definition: Definition;
  open(engine: ActorEngine): Promise<OpenArbitrations>;
}

/** Prepares arbitrations of jobs of the board. */
export function prepareArbitrations(parts: ArbitrationParts): PreparedArbitrations {
  // Effects of the last process may begin before the engine that runs them is handed on.
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
