import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Write } from '../engine/ports.ts';
import type { Definition, ListRow } from '../engine/types.ts';
import { listRowNames, unclaimedName } from '../engine/unclaimed.ts';
import type { Awaitable, Reading } from '../load/awaitable.ts';
import { perform, read } from '../load/awaitable.ts';
import { sha256Prefix } from '../value/state-hash.ts';
import { describeDifferences, describeMachine } from '../view/describe-machine.ts';
import { loadActor } from './load-actor.ts';

/** Codes of actors that the new program could not read or continue. */
const REFUSALS: readonly string[] = ['MIGRATION_MISSING', 'REPLAY_VERSION_GONE'];
/** Actors read per page. */
const PAGE_ROWS = 1_000;

/**
 * Rejects a program that would leave actors unreadable or waiting forever, before the engine
 * starts. Only actors of kinds whose machine or migrations changed since the last start are
 * checked: each one with timers or effects, and of the others one per version and state.
 *
 * @returns Rows that record which machines were checked.
 * @throws {EngineError} `MIGRATION_MISSING` naming the actor, and the timer or effect that no state
 * of the new machine handles, or the version that nothing leads on; `REPLAY_VERSION_GONE` if its
 * state is gone.
 */
export function checkDeploy(
  core: Core,
  definitions: readonly Definition[],
): Awaitable<readonly Write[]> {
  return perform(checkKinds(core, definitions));
}

function* checkKinds(core: Core, definitions: readonly Definition[]): Reading<readonly Write[]> {
  const writes: Write[] = [];
  for (const definition of definitions) {
    writes.push(...(yield* reportChange(core, definition)));
    const name = `kind/${definition.kind}`;
    const { version, machine, migrations, earlier = [] } = definition;
    const paths = [migrations.map(({ from }) => from), earlier.map((each) => each.version)];
    const text = sha256Prefix(JSON.stringify([version, listRowNames(machine), paths]));
    if ((yield* read(core.store.mark(name))) === text) continue;
    yield* checkKind(core, definition);
    writes.push({ put: 'mark', name, text });
  }
  return writes;
}

/** Reports a machine that was changed without a new version; its actors continue with it. */
function* reportChange(
  core: Core,
  { kind, version, machine }: Definition,
): Reading<readonly Write[]> {
  const name = `machine/${kind}`;
  const lines = describeMachine(machine);
  const text = JSON.stringify({ version, lines });
  const known = yield* read(core.store.mark(name));
  if (known === text) return [];
  const before = JSON.parse(known ?? '{}') as { version?: number; lines?: readonly string[] };
  const differences =
    before.version === version ? describeDifferences(before.lines ?? [], lines) : undefined;
  if (differences !== undefined) {
    const message = `${kind} was changed and still has version ${version}. ${differences}.`;
    core.notice({ kind: 'machine_changed', actorId: '', message });
  }
  return [{ put: 'mark', name, text }];
}

function* checkKind(core: Core, definition: Definition): Reading<void> {
  const checked = new Set<string>();
  for (const status of ['active', 'stuck'] as const) {
    let cursor: string | undefined;
    do {
      const query = { kind: definition.kind, status, limit: PAGE_ROWS };
      const page = yield* read(
        core.store.list(cursor === undefined ? query : { ...query, cursor }),
      );
      for (const row of page.rows) yield* checkActor(core, definition, { ...row, checked });
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
}

function isStranded({ limits }: Core, error: unknown): boolean {
  return limits.refusesStranded && error instanceof EngineError && REFUSALS.includes(error.code);
}

function* checkActor(
  core: Core,
  definition: Definition,
  { id, state, checked }: ListRow & { readonly checked: Set<string> },
): Reading<void> {
  const stored = yield* read(core.store.load(id));
  if (stored === undefined) return;
  const place = `${stored.snapshot.version} ${state}`;
  const isIdle = stored.timers.length === 0 && stored.effects.length === 0;
  if (isIdle && checked.has(place)) return;
  if (isIdle) checked.add(place);
  const { clock, committer, hash } = core;
  const stamp = () => ({ at: clock.now(), globalSeq: committer.globalSeq + 1 });
  try {
    loadActor(definition, id, stored, { hash, stamp });
  } catch (error) {
    // Any other problem affects this actor alone and is reported when it is accessed.
    if (unclaimedName(error) !== undefined || isStranded(core, error)) throw error;
  }
}
