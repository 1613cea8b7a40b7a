import type { RpcOutcome } from '../../domain/audit/audit-target.ts';
import { reportsMissing } from '../../domain/audit/denial.ts';
import { mayName } from '../../domain/audit/probe/call-permission.ts';
import type { AuditNames } from '../../domain/audit/text/audit-names.ts';
import { isObject } from '../../domain/common/json.ts';

/** Maximum number of names stored per tool; further names are only counted. */
const NAMES_MAX = 60;
const TOOLS_MAX = 100;

/** Names of readers that answer any text, such as a search without a match. */
const SEARCHES = /search|find|list|count|compare|query|grep/i;

/** What one tool received from the audit and may have stored. */
export interface LedgerEntry {
  readonly tool: string;
  readonly names: ReadonlySet<string>;
  /** Number of names above the limit. */
  readonly more: number;
}

/** Names of an audit that tools received and may have stored. */
export class NameLedger {
  readonly #entries = new Map<string, { names: Set<string>; more: number }>();
  readonly #read = new Set<string>();

  /** Records a call of a tool that may have stored its arguments. */
  recordCall(tool: string, values: unknown, own: AuditNames): void {
    const { names: found } = findNames(values, own);
    if (!this.#entries.has(tool) && this.#entries.size >= TOOLS_MAX) return;
    const entry = this.#entries.get(tool) ?? { names: new Set<string>(), more: 0 };
    for (const name of found) {
      if (entry.names.size < NAMES_MAX || entry.names.has(name)) entry.names.add(name);
      else entry.more += 1;
    }
    this.#entries.set(tool, entry);
  }

  /** Records a call of a reader. A reader that finds a nonexistent name may have created it. */
  recordReaderCall(
    tool: string,
    values: unknown,
    { own, outcome }: { readonly own: AuditNames; readonly outcome: RpcOutcome },
  ): void {
    const { names, isNamed } = findNames(values, own);
    if (names.length === 0) return;
    this.#read.add(tool);
    // A search answers any text, but does not find every path.
    if (SEARCHES.test(tool) && !isNamed) return;
    if (outcome.kind === 'result' && !reportsMissing(outcome)) this.recordCall(tool, values, own);
  }

  /** True if any tool received an audit name. */
  get isTouched(): boolean {
    return this.#read.size > 0 || this.#entries.size > 0;
  }

  /** Returns the tools that may have stored something, with the names. */
  entries(): readonly LedgerEntry[] {
    return [...this.#entries].map(([tool, { names, more }]) => ({ tool, names, more }));
  }

  /** Returns the readers that received an audit name. */
  readers(): readonly string[] {
    return [...this.#read];
  }
}

/** Audit names in the arguments of a call. */
interface NamesInCall {
  readonly names: readonly string[];
  /** True if the names are in fields that identify something, such as a path. */
  readonly isNamed: boolean;
}

/** Finds audit names in identifying fields, or else in any field. */
function findNames(values: unknown, own: AuditNames): NamesInCall {
  const naming: string[] = [];
  const all: string[] = [];
  const queue: (readonly [readonly string[], unknown])[] = [[[], values]];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [path, value] = next;
    if (typeof value === 'string' && own.isContainedIn(value)) {
      all.push(value);
      if (mayName(path)) naming.push(value);
    } else if (Array.isArray(value)) {
      queue.push(...value.map((one) => [[...path, '0'], one as unknown] as const));
    } else if (isObject(value)) {
      queue.push(...Object.entries(value).map(([name, one]) => [[...path, name], one] as const));
    }
  }
  const isNamed = naming.length > 0;
  return { names: isNamed ? naming : all, isNamed };
}
