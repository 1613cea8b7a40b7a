import type { JsonObject } from '../../domain/common/json.ts';
import type { JournalRow } from '../../domain/inspect/wire.ts';

/** Version of the inspection format that XState tools write. */
const FORMAT_VERSION = '5';
/** Maximum number of actors remembered as announced; above it they are announced again. */
const ANNOUNCED_MAX = 10_000;

/** Converts journal rows to public XState inspection events. */
export class XStateFormatter {
  readonly #definitionOf: (kind: string) => string | undefined;
  readonly #announced = new Set<string>();

  constructor(definitionOf: (kind: string) => string | undefined) {
    this.#definitionOf = definitionOf;
  }

  /**
   * Converts one row: announces a new actor, then its event and its snapshot. `nextSeq` is an
   * extension: the position at which a subscription resumes.
   */
  format(row: JournalRow, nextSeq: number): readonly JsonObject[] {
    const { id, kind, at, event, status } = row;
    const common = {
      sessionId: id,
      rootId: id,
      createdAt: String(at),
      _version: FORMAT_VERSION,
      nextSeq,
    };
    const snapshot = { status, value: buildStateValue(row.activeIds), context: {} };
    const actor = this.#announce(kind, id, { ...common, snapshot });
    return [
      ...actor,
      { ...common, type: '@xstate.event', name: kind, event, ...sourceOf(row) },
      { ...common, type: '@xstate.snapshot', name: kind, event, snapshot },
    ];
  }

  #announce(kind: string, id: string, common: JsonObject): readonly JsonObject[] {
    if (this.#announced.has(id)) return [];
    if (this.#announced.size >= ANNOUNCED_MAX) this.#announced.clear();
    this.#announced.add(id);
    const definition = this.#definitionOf(kind);
    const described = definition === undefined ? {} : { definition };
    return [{ ...common, type: '@xstate.actor', name: kind, ...described }];
  }
}

function sourceOf({ cause }: JournalRow): JsonObject {
  const from = cause['from'];
  return typeof from === 'string' ? { sourceId: from } : {};
}

/** Rebuilds a state value from the ids of active states. */
function buildStateValue(activeIds: readonly string[]): JsonObject | string {
  const root: Record<string, unknown> = {};
  for (const id of activeIds) {
    let at = root;
    for (const part of id.split('.')) {
      const inner = (at[part] ?? {}) as Record<string, unknown>;
      at[part] = inner;
      at = inner;
    }
  }
  return collapseLeaves(root) as JsonObject | string;
}

function collapseLeaves(node: Record<string, unknown>): unknown {
  const entries = Object.entries(node);
  const [only] = entries;
  const isLeaf = (inner: unknown): boolean => Object.keys(inner as object).length === 0;
  if (entries.length === 1 && only !== undefined && isLeaf(only[1])) return only[0];
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      key,
      isLeaf(inner) ? {} : collapseLeaves(inner as Record<string, unknown>),
    ]),
  );
}
