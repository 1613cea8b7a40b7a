import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import { jobMachine, version as jobVersion } from '../../machines/escrow/job.ts';
import { requestMachine, version as requestVersion } from '../../machines/escrow/request.ts';
import { define } from '../../runtime/engine/define.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import { createEscrowEffects, type UnclaimedFacts } from './escrow-effects.ts';
import { jobKind, requestKind } from './kinds.ts';
import { jobFromVersion1, jobFromVersion2, jobFromVersion3 } from './migrate-job.ts';
import { createReleaseEffects } from './release-effects.ts';

/** Dependencies of job actors. */
export interface WorkActorDeps {
  readonly trust: TrustChain;
  readonly chain: PaymentChain;
  readonly unclaimed: UnclaimedFacts;
  /** Resolves to the engine that runs the jobs, once it has started. */
  readonly engine: () => Promise<ActorEngine>;
}

/** Creates the actor definitions of the board: requests and the jobs created from them. */
export function defineWorkActors(deps: WorkActorDeps): readonly Definition[] {
  return [
    define({
      kind: requestKind.kind,
      version: requestVersion,
      machine: requestMachine,
      effects: {},
      migrations: [],
    }),
    define({
      kind: jobKind.kind,
      version: jobVersion,
      machine: jobMachine,
      effects: { ...createEscrowEffects(deps), ...createReleaseEffects(deps) },
      migrations: [jobFromVersion1, jobFromVersion2, jobFromVersion3],
    }),
  ];
}
