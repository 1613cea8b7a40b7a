import { type JsonObject, toJson } from '../../domain/common/json.ts';
import type { JournalRow } from '../../domain/inspect/wire.ts';
import { InspectionFormatter } from '../../runtime/view/inspection.ts';

/** Converts redacted journal rows to public XState inspection events. */
export class XStateFormatter {
  readonly #formatter: InspectionFormatter;

  constructor(definitionOf: (kind: string) => string | undefined) {
    this.#formatter = new InspectionFormatter(definitionOf);
  }

  /** Converts one row. `nextSeq` is an extension: the position at which a subscription resumes. */
  format(row: JournalRow, nextSeq: number): readonly JsonObject[] {
    const { from } = row.cause;
    const events = this.#formatter.format({ ...row, value: buildStateValue(row.activeIds), from });
    return events.map((event) => toJson({ ...event, nextSeq }));
  }
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
