import { AppError, type ErrorCode } from '../../domain/common/error.ts';
import type { ListedTool, ToolService } from '../../domain/tool/tool.ts';
import { ALL_GROUPS, CORE_GROUP, groupOf } from './tool-groups.ts';

/** A selection of tools. Absent members do not restrict it. */
export interface ToolSelection {
  /** Groups of tools. `core` is always included; `all` stands for every group. */
  readonly toolsets?: readonly string[];
  /** Single tools in addition to the groups; without groups, `core` is included. */
  readonly tools?: readonly string[];
  /** Tools to remove from that selection. */
  readonly excluded?: readonly string[];
  /** Keeps only read-only tools, whatever else is selected. */
  readonly isReadOnly?: boolean;
  /** Lists three tools, which find, describe and call the others. */
  readonly isSearch?: boolean;
}

/** Maximum number of unknown names that an error repeats. */
const NAMES_SHOWN_MAX = 20;

/**
 * Restricts a server to some of its tools. Calling an excluded tool gives the answer for an unknown
 * tool, with a hint. A second selection can only restrict further.
 *
 * @param why - Returns the hint for an excluded tool.
 * @throws {AppError} `TOOLSET_UNKNOWN`, `TOOL_UNKNOWN` with the received and the allowed names.
 */
export function selectTools(
  service: ToolService,
  selection: ToolSelection,
  why: (name: string) => string = (name) => hintFor(service, name),
): ToolService {
  const every = service.allTools ?? service.tools;
  const known = every.filter(createToolFilter(service, selection));
  if (known.length === every.length) return service;
  const kept = new Set(known.map(({ name }) => name));
  const offered = new Set(every.map(({ name }) => name));
  const listed = createKeptListing(service, kept);
  return {
    ...service,
    get tools() {
      return listed().tools;
    },
    allTools: known,
    get listJson() {
      return listed().listJson;
    },
    call: async (call) => {
      const { name } = call;
      if (kept.has(name) || !offered.has(name)) return service.call(call);
      return { kind: 'unknown_tool', name, hint: why(name) };
    },
  };
}

interface Listing {
  readonly tools: readonly ListedTool[];
  readonly listJson: string;
}

/** Returns a function that lists the kept tools, cached until the listing changes. */
function createKeptListing(service: ToolService, kept: ReadonlySet<string>): () => Listing {
  let from: ToolService['tools'] | undefined;
  let listing: Listing = { tools: [], listJson: '' };
  return () => {
    if (from === service.tools) return listing;
    from = service.tools;
    const tools = from.filter(({ name }) => kept.has(name));
    listing = { tools, listJson: JSON.stringify({ tools }) };
    return listing;
  };
}

function createToolFilter(
  service: ToolService,
  wishes: ToolSelection,
): (tool: ListedTool) => boolean {
  const { server } = service;
  const { toolsets, tools, excluded = [], isReadOnly = false } = wishes;
  const names = (service.allTools ?? service.tools).map(({ name }) => name);
  const groups = [...new Set([CORE_GROUP, ...names.map((name) => groupOf(server, name))])];
  requireKnown('TOOLSET_UNKNOWN', toolsets ?? [], [...groups, ALL_GROUPS]);
  requireKnown('TOOL_UNKNOWN', [...(tools ?? []), ...excluded], names);
  const isWhole = toolsets === undefined && tools === undefined;
  const isAll = isWhole || toolsets?.includes(ALL_GROUPS) === true;
  const wanted = new Set([CORE_GROUP, ...(toolsets ?? [])]);
  return ({ name, annotations }) => {
    if (excluded.includes(name) || (isReadOnly && !annotations.readOnlyHint)) return false;
    return isAll || wanted.has(groupOf(server, name)) || tools?.includes(name) === true;
  };
}

function requireKnown(
  code: ErrorCode,
  received: readonly string[],
  known: readonly string[],
): void {
  const unknown = received.filter((name) => !known.includes(name)).slice(0, NAMES_SHOWN_MAX);
  if (unknown.length === 0) return;
  const message = `Unknown: ${unknown.join(', ')}. Allowed: ${known.join(', ')}.`;
  throw new AppError(code, { message, data: { received: unknown, allowed: known } });
}

function hintFor({ server }: ToolService, name: string): string {
  const group = groupOf(server, name);
  return `it exists, but this caller’s selection excludes it (its toolset is ${group})`;
}
