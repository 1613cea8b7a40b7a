import type { JsonObject } from '../../../domain/common/json.ts';
import type { ListedTool, ToolService } from '../../../domain/tool/tool.ts';
import { selectTools, type ToolWishes } from '../../../tools/service/select-tools.ts';
import { ListAnswer, taskListJson } from '../list-answer.ts';

/** The tools that one caller sees, with their listing in bytes. */
export interface ToolView {
  /** Names joined by commas; absent when nothing is left out. */
  readonly selection: string | undefined;
  readonly service: ToolService;
  readonly list: ListAnswer;
  /** The same for sessions that may call tools as tasks. */
  readonly taskList: ListAnswer;
}

/** Selections whose listings are kept; others are made again. */
export const VIEWS_MAX = 32;

/** The selections of one endpoint's tools: each listing is made once and kept while it is used. */
export class ToolViews {
  readonly outside: ReadonlySet<string>;
  private readonly byName: ReadonlyMap<string, ListedTool>;
  private readonly more: readonly JsonObject[];
  private readonly service: ToolService;
  private current: ToolView;
  /** What was listed when the views were made. */
  private listed: ToolService['tools'];
  /** The least recently used one first. */
  private readonly kept = new Map<string, ToolView>();

  /** @param more - Rows that stand behind every listing, whatever is selected. */
  constructor(service: ToolService, more: readonly JsonObject[]) {
    this.more = more;
    this.service = service;
    this.listed = service.tools;
    this.current = this.make(undefined, service);
    this.outside = outsideAndFree(service);
    this.byName = new Map(known(service).map((tool) => [tool.name, tool]));
  }

  /** Every tool that is listed now. */
  get whole(): ToolView {
    if (this.listed !== this.service.tools) {
      this.listed = this.service.tools;
      this.kept.clear();
      this.current = this.make(undefined, this.service);
    }
    return this.current;
  }

  /** What is listed of a tool, selected or not. */
  tool(name: string): ListedTool | undefined {
    return this.byName.get(name);
  }

  /** How many selections are kept now. */
  get size(): number {
    return this.kept.size;
  }

  /**
   * Narrows by each wish in turn.
   *
   * @throws {AppError} `TOOLSET_UNKNOWN`, `TOOL_UNKNOWN`
   */
  choose(wishes: readonly ToolWishes[]): ToolView {
    let { service } = this.whole;
    for (const wish of wishes) service = selectTools(service, wish);
    if (service === this.whole.service) return this.whole;
    const selection = known(service)
      .map(({ name }) => name)
      .join(',');
    return this.find(selection) ?? this.keep(selection, service);
  }

  /** The view of a session, by what its row says. Tools that are gone meanwhile are left out. */
  of(selection: string | undefined): ToolView {
    const { whole } = this;
    if (selection === undefined) return whole;
    const { service } = whole;
    const found = this.find(selection);
    if (found !== undefined) return found;
    const names = new Set(selection.split(','));
    const excluded = known(service).flatMap(({ name }) => (names.has(name) ? [] : [name]));
    return this.keep(selection, selectTools(service, { excluded }));
  }

  private find(selection: string): ToolView | undefined {
    const found = this.kept.get(selection);
    if (found === undefined) return undefined;
    this.kept.delete(selection);
    this.kept.set(selection, found);
    return found;
  }

  private keep(selection: string, service: ToolService): ToolView {
    const [oldest] = this.kept.keys();
    if (this.kept.size >= VIEWS_MAX && oldest !== undefined) this.kept.delete(oldest);
    const view = this.make(selection, service);
    this.kept.set(selection, view);
    return view;
  }

  private make(selection: string | undefined, service: ToolService): ToolView {
    const list = new ListAnswer(service.listJson, this.more);
    const json = taskListJson(service);
    const taskList = json === service.listJson ? list : new ListAnswer(json, this.more);
    return { selection, service, list, taskList };
  }
}

/** Names of free tools that work outside: each call costs us, and the caller nothing. */
export function outsideAndFree(service: ToolService): ReadonlySet<string> {
  const isOne = ({ annotations, _meta: meta }: ListedTool): boolean =>
    annotations.openWorldHint && meta?.['price'] === undefined;
  return new Set(
    known(service)
      .filter(isOne)
      .map(({ name }) => name),
  );
}

/** Also what is not offered now: a selection outlives a change of what is listed. */
function known({ known: every, tools }: ToolService): readonly ListedTool[] {
  return every ?? tools;
}
