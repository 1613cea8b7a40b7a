import type { PassportIndex } from '../../domain/passport/passport-index.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { delegationKind, findDelegation, passportKind, readPassportActor } from './record.ts';

/**
 * Rebuilds an empty index from the actors. An index with rows stays unchanged.
 *
 * @returns The number of indexed passports and delegations.
 */
export async function rebuildIndex(engine: ActorEngine, index: PassportIndex): Promise<number> {
  if (index.list(undefined, 1).length > 0) return 0;
  let count = 0;
  for await (const id of listActorIds(engine, passportKind.kind)) {
    const { context } = readPassportActor(await engine.of(passportKind).view(id));
    const { at: askedAt, order } = context.ask;
    const { agentId } = context;
    await index.put({ name: order.name, applicant: order.wallet, askedAt, agentId });
    count += 1;
  }
  for await (const delegationId of listActorIds(engine, delegationKind.kind)) {
    const context = await findDelegation(engine, delegationId);
    if (context === undefined) continue;
    const { delegation, grantedAt } = context;
    const { delegate, delegator } = delegation;
    await index.putDelegation({ delegationId, delegator, delegate, grantedAt });
    count += 1;
  }
  return count;
}

/** Skips copies that an operator forked: their ids have another form. */
async function* listActorIds(engine: ActorEngine, kind: string): AsyncGenerator<string> {
  let cursor: string | undefined;
  do {
    const page = await engine.list({ kind, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id } of page.rows) if (/^(passport-|dlg_)[^/]+$/.test(id)) yield id;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
