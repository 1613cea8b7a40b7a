import type { JsonObject } from '../../../domain/common/json.ts';
import type { ListedTool, ToolService } from '../../../domain/tool/tool.ts';
import { selectTools, type ToolWishes } from '../../../tools/service/select-tools.ts';
import { ListAnswer, taskListJson } from '../list-answer.ts';

/** The tools that one caller sees, with their serialised listing. */
export interface ToolView {
  /** Tool names, separated by commas. Absent when nothing is excluded. */
  readonly selection: string | undefined;
  readonly service: ToolService;
  readonly list: ListAnswer;
  /** The listing for sessions that may call tools as tasks. */
  readonly taskList: ListAnswer;
}

/** Cached selections. Others are built again. */
export const VIEWS_MAX = 32;

/** The tool selections of one endpoint. Each listing is built once and cached while in use. */
export class ToolViews {
  readonly outside: ReadonlySet<string>;
  private readonly byName: ReadonlyMap<string, ListedTool>;
  private readonly more: readonly JsonObject[];
  private readonly service: ToolService;
  private current: ToolView;
  /** The tools for which the current views were built. */
  private listed: ToolService['tools'];
  /** Least recently used first. */
  private readonly kept = new Map<string, ToolView>();

  /** @param more - Rows appended to every listing, whatever is selected. */
  constructor(service: ToolService, more: readonly JsonObject[]) {
    this.more = more;
    this.service = service;
    this.listed = service.tools;
    this.current = this.make(undefined, service);
    this.outside = outsideAndFree(service);
    this.byName = new Map(known(service).map((tool) => [tool.name, tool]));
  }

  /** Returns the view of all tools that are listed now. */
  get whole(): ToolView {
    if (this.listed !== this.service.tools) {
      this.listed = this.service.tools;
      this.kept.clear();
      this.current = this.make(undefined, this.service);
    }
    return this.current;
  }

  /** Returns the listing of a tool, selected or not. */
  tool(name: string): ListedTool | undefined {
    return this.byName.get(name);
  }

  /** The number of cached selections. */
  get size(): number {
    return this.kept.size;
  }

  /**
   * Applies each selection in turn.
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

  /** Returns the view of a session's stored selection, without tools that no longer exist. */
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

/** Returns the free tools that access external systems: each call costs the operator money. */
export function outsideAndFree(service: ToolService): ReadonlySet<string> {
  const isOne = ({ annotations, _meta: meta }: ListedTool): boolean =>
    annotations.openWorldHint && meta?.['price'] === undefined;
  return new Set(
    known(service)
      .filter(isOne)
      .map(({ name }) => name),
  );
}

/** Includes tools that are not offered now, because a selection outlives a change of the list. */
function known({ known: every, tools }: ToolService): readonly ListedTool[] {
  return every ?? tools;
}
