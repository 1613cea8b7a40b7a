import { defineControl, openControls } from '../actors/controls/controls.ts';
import type { Payments } from '../actors/payments.ts';
import type { Teller } from '../actors/proofs/teller.ts';
import type { Config } from '../config.ts';
import type { ControlDesk } from '../domain/ports/controls.ts';
import type { EgressPort } from '../domain/ports/egress.ts';
import type { NodePaymentChain } from '../providers/chain/payment-chain.ts';
import type { RuntimeClock } from '../runtime/ports.ts';
import type { ActorEngine, Definition } from '../runtime/types.ts';
import type { FrontRoute } from '../transport/front-route.ts';
import type { Closers } from './closers.ts';
import type { Stores } from './stores.ts';

/** What the parts of trust are made from. */
export interface TrustParts {
  readonly config: Config;
  readonly chain: NodePaymentChain;
  readonly clock: RuntimeClock;
  readonly store: Stores;
  readonly egress: EgressPort;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
}

/** What lives on the engine. */
export interface LivingTrustParts extends TrustParts {
  readonly engine: ActorEngine;
  readonly payments: Payments;
}

/** Identity, work, reputation, alerts and controls, running. */
export interface Trust {
  readonly routes: readonly FrontRoute[];
  /** What their actors prove and tell. */
  readonly tellers: readonly Teller[];
  readonly controls: ControlDesk;
}

/** The kinds of actors of trust, for the engine. */
export function trustDefinitions(_parts: TrustParts): readonly Definition[] {
  return [defineControl()];
}

/** Opens what stands on the engine; what it opens is closed through `closers`. */
export async function openTrust(parts: LivingTrustParts, _closers: Closers): Promise<Trust> {
  const { engine, clock } = parts;
  const controls = await openControls({ engine, clock });
  return { routes: [], tellers: [], controls };
}
