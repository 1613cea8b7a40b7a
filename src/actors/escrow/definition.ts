import { jobMachine, version as jobVersion } from '../../machines/escrow/job.ts';
import { requestMachine, version as requestVersion } from '../../machines/escrow/request.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { createEscrowEffects, type UnclaimedFacts } from './escrow-effects.ts';
import { jobKind, requestKind } from './kinds.ts';
import { jobFromVersion1, jobFromVersion2, jobFromVersion3 } from './migrate-job.ts';
import { createReleaseEffects } from './release-effects.ts';

/** Creates the actor definitions of the board: requests and the jobs created from them. */
export function defineWorkActors(
  deps: Pick<Services, 'chain' | 'engine' | 'trust'> & { readonly unclaimed: UnclaimedFacts },
): readonly Definition[] {
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
