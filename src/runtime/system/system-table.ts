import type { ActorReference } from '../child/actor-ref.ts';
import { actorRef, childAddress, effectRef, referTo, SELF } from '../child/actor-ref.ts';
import type { ParentLink } from '../engine/ports.ts';
import type { EffectRow } from '../engine/types.ts';
import type { SystemView } from './step-system.ts';
import type { SystemIdRow, SystemWrite } from './system-ports.ts';

/** An actor of a system: the tree of one root actor. */
export interface SystemMember {
  readonly id: string;
  readonly definition: { readonly children: Readonly<Record<string, unknown>> };
  readonly parent?: ParentLink;
}

/** The parts of a state from which system ids follow. */
export interface SystemState {
  readonly snapshot: { readonly status: string };
  readonly effects: ReadonlyMap<string, EffectRow>;
}

/** Returns the actor id of the root of an actor's system. */
export function rootOf({ id, parent }: SystemMember): string {
  return parent?.root ?? parent?.id ?? id;
}

/**
 * The system ids of all systems, as their rows have them. A step changes it at once; its rows are
 * in the commit of the step.
 */
export class SystemTable {
  readonly #systems = new Map<string, Map<string, SystemIdRow>>();
  readonly #byToken = new Map<string, SystemIdRow>();

  /** Reads the rows that the last process left. */
  load(rows: readonly SystemIdRow[]): void {
    for (const row of rows) this.#add(row);
  }

  /** Returns the ids that an actor sees; `undefined` if its system has none. */
  view(member: SystemMember): SystemView | undefined {
    const rows = this.#systems.size === 0 ? undefined : this.#systems.get(rootOf(member));
    return rows === undefined ? undefined : viewOf(member.id, rows);
  }

  /** Returns what a change of an actor's effects and children writes, and applies it. */
  change(
    member: SystemMember,
    before: SystemState | undefined,
    after: SystemState,
  ): readonly SystemWrite[] {
    const hasEnded = after.snapshot.status !== 'active';
    if (before?.effects === after.effects && !hasEnded) return NO_WRITES;
    const writes: SystemWrite[] = [];
    if (this.#systems.has(rootOf(member))) {
      if (hasEnded && member.parent !== undefined) this.#free(member.parent.token, writes);
      const gone = missingRows(before?.effects ?? NO_ROWS, after.effects);
      for (const { childId, token } of gone) {
        this.#free(token, writes);
        this.#freeUnder(rootOf(member), childAddress(member.id, childId), writes);
      }
    }
    for (const effect of missingRows(after.effects, before?.effects ?? NO_ROWS)) {
      const row = toRow(member, effect);
      if (row === undefined) continue;
      this.#add(row);
      writes.push({ put: 'systemId', row });
    }
    return writes;
  }

  #add(row: SystemIdRow): void {
    const rows = this.#systems.get(row.root) ?? new Map<string, SystemIdRow>();
    rows.set(row.systemId, row);
    this.#systems.set(row.root, rows);
    this.#byToken.set(row.token, row);
  }

  #free(token: string, writes: SystemWrite[]): void {
    const row = this.#byToken.get(token);
    if (row === undefined) return;
    this.#byToken.delete(token);
    const rows = this.#systems.get(row.root);
    // A later child may have the id already.
    if (rows?.get(row.systemId) !== row) return;
    rows.delete(row.systemId);
    if (rows.size === 0) this.#systems.delete(row.root);
    writes.push({ del: 'systemId', row });
  }

  /** The children of a stopped child are stopped later, but their ids are free at once. */
  #freeUnder(root: string, address: string, writes: SystemWrite[]): void {
    for (const row of this.#systems.get(root)?.values() ?? []) {
      if (isUnder(row, address)) this.#free(row.token, writes);
    }
  }
}

/** Returns the ids of an actor's own effects and children, for steps that are computed again. */
export function ownSystemView(
  member: SystemMember,
  before: SystemState | undefined,
): SystemView | undefined {
  if (before === undefined) return undefined;
  const rows = [...before.effects.values()].flatMap((effect) => toRow(member, effect) ?? []);
  if (rows.length === 0) return undefined;
  return viewOf(member.id, new Map(rows.map((row) => [row.systemId, row])));
}

const NO_WRITES: readonly SystemWrite[] = [];
const NO_ROWS: SystemState['effects'] = new Map();

/** Returns the rows that another state does not have. */
function missingRows(
  rows: SystemState['effects'],
  others: SystemState['effects'],
): readonly EffectRow[] {
  return [...rows.values()].filter(({ childId, token }) => others.get(childId)?.token !== token);
}

function toRow(
  member: SystemMember,
  { systemId, childId, src, token }: EffectRow,
): SystemIdRow | undefined {
  if (systemId === undefined) return undefined;
  const row = { root: rootOf(member), systemId, owner: member.id, childId, token };
  return Object.hasOwn(member.definition.children, src) ? row : { ...row, isEffect: true };
}

function viewOf(id: string, rows: ReadonlyMap<string, SystemIdRow>): SystemView {
  return {
    get: (systemId) => {
      const row = rows.get(systemId);
      return row === undefined ? undefined : refer(id, row);
    },
    getAll: () =>
      Object.fromEntries([...rows].map(([systemId, row]) => [systemId, refer(id, row)])),
    idsUnder: (childId) => {
      const address = childAddress(id, childId);
      const isOwn = (row: SystemIdRow) => row.owner === id && row.childId === childId;
      const found = [...rows.values()].filter((row) => isOwn(row) || isUnder(row, address));
      return found.map(({ systemId }) => systemId);
    },
  };
}

function isUnder({ owner }: SystemIdRow, address: string): boolean {
  return owner === address || owner.startsWith(`${address}/`);
}

function refer(id: string, { owner, childId, token, isEffect }: SystemIdRow): ActorReference {
  if (owner === id) return referTo(childId);
  if (isEffect === true) return effectRef(token);
  const address = childAddress(owner, childId);
  return address === id ? referTo(SELF) : actorRef(address);
}
