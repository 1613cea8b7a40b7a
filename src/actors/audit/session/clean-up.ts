import type {
  AuditTarget,
  RpcOutcome,
  TargetConnection,
} from '../../../domain/audit/audit-target.ts';
import { reportsMissing } from '../../../domain/audit/denial.ts';
import {
  inputSchemaOf,
  listMembers,
  listTextSlots,
  setAtPath,
} from '../../../domain/audit/probe/arguments.ts';
import {
  decideCallPermission,
  mayName,
  sampleAuditArguments,
} from '../../../domain/audit/probe/call-permission.ts';
import { classifyTool, isRemoving } from '../../../domain/audit/probe/classify-tool.ts';
import { type LeftBehind, NAMES_SHOWN_MAX } from '../../../domain/audit/probe/left-behind.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { isSuccess, resultText } from '../../../domain/audit/probe/tool-result.ts';
import { splitName } from '../../../domain/audit/probe/tool-verbs.ts';
import { type AuditNames, createAuditNames } from '../../../domain/audit/text/audit-names.ts';
import { AppError, toAppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { LedgerEntry, NameLedger } from '../name-ledger.ts';

/** Limits of one clean-up, in addition to those of its probe. */
export const CLEAN_UP_LIMITS = { requestsMax: 90, totalMs: 30 * SECOND_MS } as const;
/** Maximum number of names that one clean-up removes. */
const NAMES_MAX = 30;
/** Above this number of names, removals are not verified by reading back. */
const READ_BACK_MAX = 8;
const REMOVERS_MAX = 2;
const READERS_MAX = 2;
const LISTS_MAX = 3;
const ANSWER_MS = 5_000;

/** Dependencies of a clean-up. */
export interface CleanUpDeps {
  readonly ledger: NameLedger;
  readonly tools: readonly Definition[];
  readonly seed: string;
  readonly allowWrites: boolean;
}

/**
 * Removes what tools may have stored for an audit. It uses the target's own removal tools, for the
 * exact names that were sent. Never throws because of the target.
 *
 * @returns What is still visible afterwards, and what cannot be verified.
 */
export async function cleanUp(
  open: () => Promise<AuditTarget>,
  parts: CleanUpDeps,
): Promise<readonly LeftBehind[]> {
  if (!parts.ledger.isTouched) return [];
  const lists = parts.tools.filter((tool) => isListTool(tool)).slice(0, LISTS_MAX);
  const entries = parts.ledger.entries();
  if (entries.length === 0 && lists.length === 0) return [];
  let target: AuditTarget | undefined;
  try {
    target = await open();
    const connection = await target.connect();
    return await new CleanUpRun(connection, parts, lists).run();
  } catch (thrown) {
    const reason = `the clean-up failed (${toAppError(thrown).code})`;
    return entries.map((entry) => makeLeftBehind(entry, [...entry.names], 'unknown', reason));
  } finally {
    await target?.close();
  }
}

/** Returns everything as left behind if nothing more may be sent. */
export function listUncleaned(ledger: NameLedger, reason: string): readonly LeftBehind[] {
  return ledger
    .entries()
    .map((entry) => makeLeftBehind(entry, [...entry.names], 'unknown', reason));
}

/** Returns whether a tool without required arguments lists existing items. */
function isListTool(tool: Definition): boolean {
  const { required } = inputSchemaOf(tool);
  return (!Array.isArray(required) || required.length === 0) && classifyTool(tool) === 'reader';
}

type Fate = 'gone' | 'kept' | 'unknown';

class CleanUpRun {
  readonly #connection: TargetConnection;
  readonly #parts: CleanUpDeps;
  readonly #lists: readonly Definition[];
  readonly #own: AuditNames;
  /** Removed names; another tool may have stored them too. */
  readonly #removed = new Set<string>();

  constructor(connection: TargetConnection, parts: CleanUpDeps, lists: readonly Definition[]) {
    this.#connection = connection;
    this.#parts = parts;
    this.#lists = lists;
    this.#own = createAuditNames(parts.seed);
  }

  async run(): Promise<readonly LeftBehind[]> {
    const { ledger } = this.#parts;
    const left: LeftBehind[] = [];
    for (const entry of ledger.entries()) left.push(...(await this.#removeNames(entry)));
    await this.#removeFolder(left);
    const after = await this.#readLists();
    return [...left, ...this.#findListedNames(after, left)];
  }

  async #removeNames(entry: LedgerEntry): Promise<readonly LeftBehind[]> {
    const names = [...entry.names].slice(0, NAMES_MAX);
    const fates = new Map<string, Fate>();
    try {
      const removers = await this.#removersFor(entry.tool);
      const readers = names.length > READ_BACK_MAX ? [] : this.#readersFor(entry.tool);
      for (const name of names) fates.set(name, await this.#fateOf(name, { removers, readers }));
    } catch (thrown) {
      // After an abort, the fate of the remaining names is unknown.
      if (!(thrown instanceof AppError)) throw thrown;
    }
    const kept = names.filter((name) => fates.get(name) === 'kept');
    const isOpen = (name: string): boolean => (fates.get(name) ?? 'unknown') === 'unknown';
    const unknown = [...names.filter(isOpen), ...[...entry.names].slice(NAMES_MAX)];
    const left: LeftBehind[] = [];
    if (kept.length > 0) left.push(makeLeftBehind(entry, kept, 'kept', 'it is still visible'));
    if (unknown.length + entry.more > 0) {
      left.push(makeLeftBehind(entry, unknown, 'unknown', 'no tool shows whether it was stored'));
    }
    return left;
  }

  async #fateOf(
    name: string,
    { removers, readers }: Record<'removers' | 'readers', readonly Definition[]>,
  ): Promise<Fate> {
    if (this.#removed.has(name)) return 'gone';
    const shownBy = await this.#findReader(readers, name);
    for (const remover of removers) {
      const removed = await this.#call(remover, withName(remover, name, this.#own));
      if (removed === undefined || !isSuccess(removed)) continue;
      if (shownBy !== undefined && (await this.#shows(shownBy, name))) continue;
      this.#removed.add(name);
      return 'gone';
    }
    return shownBy === undefined ? 'unknown' : 'kept';
  }

  /** Removes the folder of the names last. */
  async #removeFolder(left: readonly LeftBehind[]): Promise<void> {
    const entries = this.#parts.ledger.entries();
    const hasFolder = entries.some(({ names }) =>
      [...names].some((name) => name.startsWith(`${this.#own.folder}/`)),
    );
    if (!hasFolder || left.length > 0) return;
    for (const { tool } of entries) {
      for (const remover of await this.#removersFor(tool)) {
        await this.#call(remover, withName(remover, this.#own.folder, this.#own));
      }
    }
  }

  /** Returns audit names in a listing that no recorded call explains. */
  #findListedNames(after: string, left: readonly LeftBehind[]): readonly LeftBehind[] {
    if (!this.#own.isContainedIn(after) || left.some(({ state }) => state === 'kept')) return [];
    const names = [this.#own.folder];
    const tools = [
      ...this.#parts.ledger.readers(),
      ...this.#parts.ledger.entries().map((one) => one.tool),
    ];
    const tool = [...new Set(tools)].slice(0, 4).join(', ');
    return [{ tool, names, count: 1, state: 'kept', reason: 'a listing of the target shows it' }];
  }

  async #readLists(): Promise<string> {
    const shown: string[] = [];
    for (const list of this.#lists) {
      const outcome = await this.#call(list, {});
      if (outcome !== undefined) shown.push(resultText(outcome));
    }
    return shown.join('\n');
  }

  /** Returns removal tools that reject nonexistent names, so that their answers are meaningful. */
  async #removersFor(tool: string): Promise<readonly Definition[]> {
    if (!this.#parts.allowWrites) return [];
    const found: Definition[] = [];
    for (const remover of this.#related(tool, (one) => isRemover(one))) {
      if (found.length >= REMOVERS_MAX) break;
      const control = await this.#call(
        remover,
        withName(remover, this.#own.filePath('never'), this.#own),
      );
      if (control !== undefined && reportsMissing(control)) found.push(remover);
    }
    return found;
  }

  #readersFor(tool: string): readonly Definition[] {
    return this.#related(tool, (one) => {
      return classifyTool(one) === 'reader' && findNamingSlots(one).length > 0;
    }).slice(0, READERS_MAX);
  }

  /** Returns matching tools, those with the most words in common with the writer first. */
  #related(tool: string, isWanted: (one: Definition) => boolean): readonly Definition[] {
    const words = new Set(splitName(tool));
    const rank = ({ name }: Definition): number =>
      splitName(name).filter((word) => words.has(word)).length;
    return this.#parts.tools
      .filter((one) => one.name !== tool && isWanted(one))
      .toSorted((one, other) => rank(other) - rank(one));
  }

  async #findReader(readers: readonly Definition[], name: string): Promise<Definition | undefined> {
    for (const reader of readers) if (await this.#shows(reader, name)) return reader;
    return undefined;
  }

  async #shows(reader: Definition, name: string): Promise<boolean> {
    const outcome = await this.#call(reader, withName(reader, name, this.#own));
    return outcome?.kind === 'result' && !reportsMissing(outcome);
  }

  /** Calls a tool within the sending policy; returns `undefined` if the call is not allowed. */
  async #call(tool: Definition, values: unknown): Promise<RpcOutcome | undefined> {
    const { allowWrites } = this.#parts;
    const rules = { own: this.#own, allowWrites, listeners: [] };
    const same = this.#parts.tools.filter(({ name }) => name === tool.name);
    if (!same.every((one) => decideCallPermission(one, values, rules).leave === 'send'))
      return undefined;
    const params = { name: tool.name, arguments: values };
    return await this.#connection.request('tools/call', params, { deadlineMs: ANSWER_MS });
  }
}

/** Returns whether a tool removes what one required field names, and requires nothing else. */
function isRemover(tool: Definition): boolean {
  const { required } = inputSchemaOf(tool);
  const needed = Array.isArray(required) ? required : [];
  const slots = findNamingSlots(tool);
  return (
    isRemoving(tool) &&
    slots.length >= 1 &&
    needed.length <= 1 &&
    listMembers(inputSchemaOf(tool)).length <= 3
  );
}

function findNamingSlots(tool: Definition) {
  return listTextSlots(inputSchemaOf(tool)).filter(({ path }) => mayName(path));
}

function withName(tool: Definition, name: string, own: AuditNames) {
  const [slot] = findNamingSlots(tool);
  const fitting = sampleAuditArguments(tool, own, 'clean-up');
  return slot === undefined ? fitting : setAtPath(fitting, slot.path, name);
}

function makeLeftBehind(
  { tool, more }: LedgerEntry,
  names: readonly string[],
  state: LeftBehind['state'],
  reason: string,
): LeftBehind {
  const shown = names.slice(0, NAMES_SHOWN_MAX).map((name) => name.slice(0, 200));
  return {
    tool: tool.slice(0, 100),
    names: shown,
    count: names.length + (state === 'unknown' ? more : 0),
    state,
    reason,
  };
}
