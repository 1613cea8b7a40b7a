import type { RpcOutcome } from '../../domain/audit/audit-target.ts';
import { isNaming } from '../../domain/audit/probe/sending.ts';
import { saysNothingThere } from '../../domain/audit/refusal.ts';
import type { OwnNames } from '../../domain/audit/text/own-names.ts';
import { isObject } from '../../domain/common/json.ts';

/** Names of one tool that are kept; a tool that got more is told with a count. */
const NAMES_MAX = 60;
const TOOLS_MAX = 100;

/** Readers that answer something to any text, such as a list without a match. */
const SEARCHES = /search|find|list|count|compare|query|grep/i;

/** What one tool was sent of ours, and may have kept. */
export interface LedgerEntry {
  readonly tool: string;
  readonly names: ReadonlySet<string>;
  /** More names than are kept. */
  readonly more: number;
}

/** Names of an audit that tools got which may have kept them. */
export class Ledger {
  readonly #entries = new Map<string, { names: Set<string>; more: number }>();
  readonly #read = new Set<string>();

  /** Notes a call of a tool that may have kept what it was sent. */
  note(tool: string, values: unknown, own: OwnNames): void {
    const { names: found } = namesIn(values, own);
    if (!this.#entries.has(tool) && this.#entries.size >= TOOLS_MAX) return;
    const entry = this.#entries.get(tool) ?? { names: new Set<string>(), more: 0 };
    for (const name of found) {
      if (entry.names.size < NAMES_MAX || entry.names.has(name)) entry.names.add(name);
      else entry.more += 1;
    }
    this.#entries.set(tool, entry);
  }

  /** Notes a call of a reader: one that knows a name which nobody has may have made it. */
  noteReader(
    tool: string,
    values: unknown,
    { own, outcome }: { readonly own: OwnNames; readonly outcome: RpcOutcome },
  ): void {
    const { names, isNamed } = namesIn(values, own);
    if (names.length === 0) return;
    this.#read.add(tool);
    // A search answers any text, but it does not know every path.
    if (SEARCHES.test(tool) && !isNamed) return;
    if (outcome.kind === 'result' && !saysNothingThere(outcome)) this.note(tool, values, own);
  }

  /** True where any tool got a name of ours. */
  get isTouched(): boolean {
    return this.#read.size > 0 || this.#entries.size > 0;
  }

  /** Tools that may have kept something, and what. */
  entries(): readonly LedgerEntry[] {
    return [...this.#entries].map(([tool, { names, more }]) => ({ tool, names, more }));
  }

  /** Readers that got a name of ours. */
  readers(): readonly string[] {
    return [...this.#read];
  }
}

/** Names of an audit in the arguments of a call. */
interface FoundNames {
  readonly names: readonly string[];
  /** True if members that name a thing, such as a path, hold them. */
  readonly isNamed: boolean;
}

/** Finds an audit's names in members that name a thing, or else in any member. */
function namesIn(values: unknown, own: OwnNames): FoundNames {
  const naming: string[] = [];
  const all: string[] = [];
  const waiting: (readonly [readonly string[], unknown])[] = [[[], values]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, value] = next;
    if (typeof value === 'string' && own.isIn(value)) {
      all.push(value);
      if (isNaming(path)) naming.push(value);
    } else if (Array.isArray(value)) {
      waiting.push(...value.map((one) => [[...path, '0'], one as unknown] as const));
    } else if (isObject(value)) {
      waiting.push(...Object.entries(value).map(([name, one]) => [[...path, name], one] as const));
    }
  }
  const isNamed = naming.length > 0;
  return { names: isNamed ? naming : all, isNamed };
}
