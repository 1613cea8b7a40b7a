import type { Core } from '../engine/core.ts';
import type { Write } from '../engine/ports.ts';
import type { Definition } from '../engine/types.ts';
import { listRowNames, unclaimedName } from '../engine/unclaimed.ts';
import { sha256Prefix } from '../value/state-hash.ts';
import { loadActor } from './load-actor.ts';

/** Actors read per page. */
const PAGE_ROWS = 1_000;

/**
 * Rejects a program that would leave actors waiting forever, before the engine starts. Only actors
 * of kinds whose machine changed since the last start are checked.
 *
 * @returns Rows that record which machines were checked.
 * @throws {EngineError} `MIGRATION_MISSING` naming the actor, and the timer or effect that no state
 * of the new machine handles.
 */
export function checkDeploy(core: Core, definitions: readonly Definition[]): readonly Write[] {
  const writes: Write[] = [];
  for (const definition of definitions) {
    const name = `kind/${definition.kind}`;
    const { version, machine } = definition;
    const text = sha256Prefix(JSON.stringify([version, listRowNames(machine)]));
    if (core.store.mark(name) === text) continue;
    checkKind(core, definition);
    writes.push({ put: 'mark', name, text });
  }
  return writes;
}

function checkKind(core: Core, definition: Definition): void {
  for (const status of ['active', 'stuck'] as const) {
    let cursor: string | undefined;
    do {
      const query = { kind: definition.kind, status, limit: PAGE_ROWS };
      const page = core.store.list(cursor === undefined ? query : { ...query, cursor });
      for (const { id } of page.rows) checkActor(core, definition, id);
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
}

function checkActor(core: Core, definition: Definition, id: string): void {
  const stored = core.store.load(id);
  if (stored === undefined || (stored.timers.length === 0 && stored.effects.length === 0)) return;
  const { clock, committer, hash } = core;
  const stamp = () => ({ at: clock.now(), globalSeq: committer.globalSeq + 1 });
  try {
    loadActor(definition, id, stored, { hash, stamp });
  } catch (error) {
    // Any other problem affects this actor alone and is reported when it is accessed.
    if (unclaimedName(error) !== undefined) throw error;
  }
}
