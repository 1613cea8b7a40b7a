import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../../domain/common/json.ts';
import type { ListedTool, ToolService } from '../../../domain/tool/tool.ts';
import { searchTools } from '../../../tools/service/search/search-tools.ts';
import { selectTools, type ToolSelection } from '../../../tools/service/select-tools.ts';
import { ToolListing, taskListJson } from '../tool-listing.ts';

/** The tools that one caller sees, with their serialised listing. */
export interface ToolView {
  /**
   * Tool names, separated by commas, after `search:` in search mode. Absent when nothing is
   * excluded.
   */
  readonly selection: string | undefined;
  readonly service: ToolService;
  readonly list: ToolListing;
  /** The listing for sessions that may call tools as tasks. */
  readonly taskList: ToolListing;
}

/** Marks a selection in search mode. It is followed by nothing when no tool is excluded. */
const SEARCH = 'search:';

/** Cached selections. Others are built again. */
export const VIEWS_MAX = 32;

/** The tool selections of one endpoint. Each listing is built once and cached while in use. */
export class ToolViews {
  readonly rateLimitedTools: ReadonlySet<string>;
  private readonly byName: ReadonlyMap<string, ListedTool>;
  private readonly appendedRows: readonly JsonObject[];
  private readonly service: ToolService;
  private current: ToolView;
  /** The tools for which the current views were built. */
  private listed: ToolService['tools'];
  private readonly cache = new LRUCache<string, ToolView>({ max: VIEWS_MAX });

  /** @param more - Rows appended to every listing, whatever is selected. */
  constructor(service: ToolService, more: readonly JsonObject[]) {
    this.appendedRows = more;
    this.service = service;
    this.listed = service.tools;
    this.current = this.build(undefined, service);
    this.rateLimitedTools = findRateLimitedTools(service);
    this.byName = new Map(knownTools(service).map((tool) => [tool.name, tool]));
  }

  /** Returns the view of all tools that are listed now. */
  get all(): ToolView {
    if (this.listed !== this.service.tools) {
      this.listed = this.service.tools;
      this.cache.clear();
      this.current = this.build(undefined, this.service);
    }
    return this.current;
  }

  /** Returns the listing of a tool, selected or not. */
  findTool(name: string): ListedTool | undefined {
    return this.byName.get(name);
  }

  /** The number of cached selections. */
  get size(): number {
    return this.cache.size;
  }

  /**
   * Applies each selection in turn.
   *
   * @throws {AppError} `TOOLSET_UNKNOWN`, `TOOL_UNKNOWN`
   */
  select(wishes: readonly ToolSelection[]): ToolView {
    const { all } = this;
    const service = wishes.reduce((chosen, wish) => selectTools(chosen, wish), all.service);
    const isSearch = wishes.some((wish) => wish.isSearch === true);
    if (service === all.service && !isSearch) return all;
    const names = service === all.service ? [] : knownTools(service).map(({ name }) => name);
    const selection = `${isSearch ? SEARCH : ''}${names.join(',')}`;
    return this.cache.get(selection) ?? this.store(selection, service);
  }

  /** Returns the view of a session's stored selection, without tools that no longer exist. */
  forSelection(selection: string | undefined): ToolView {
    const { all } = this;
    if (selection === undefined) return all;
    const { service } = all;
    const found = this.cache.get(selection);
    if (found !== undefined) return found;
    if (selection === SEARCH) return this.store(selection, service);
    const names = new Set(selection.replace(SEARCH, '').split(','));
    const excluded = knownTools(service).flatMap(({ name }) => (names.has(name) ? [] : [name]));
    return this.store(selection, selectTools(service, { excluded }));
  }

  private store(selection: string, service: ToolService): ToolView {
    const isSearch = selection.startsWith(SEARCH);
    const view = this.build(selection, isSearch ? searchTools(service) : service);
    this.cache.set(selection, view);
    return view;
  }

  private build(selection: string | undefined, service: ToolService): ToolView {
    const list = new ToolListing(service.listJson, this.appendedRows);
    const json = taskListJson(service);
    const taskList = json === service.listJson ? list : new ToolListing(json, this.appendedRows);
    return { selection, service, list, taskList };
  }
}

/** Returns the free tools that access external systems: each call costs the operator money. */
export function findRateLimitedTools(service: ToolService): ReadonlySet<string> {
  const isOne = ({ annotations, _meta: meta }: ListedTool): boolean =>
    annotations.openWorldHint && meta?.['price'] === undefined;
  return new Set(
    knownTools(service)
      .filter(isOne)
      .map(({ name }) => name),
  );
}

/** Includes tools that are not offered now, because a selection outlives a change of the list. */
function knownTools({ allTools: every, tools }: ToolService): readonly ListedTool[] {
  return every ?? tools;
}
