import type { JsonObject } from '../../domain/common/json.ts';
import type { ToolService } from '../../domain/tool/tool.ts';
import type { HttpReply } from '../http/host.ts';
import type { RpcId } from './json-rpc.ts';
import { SharedText } from './shared-text.ts';

/** Largest page of tools, in bytes. A larger tool has its own page. */
export const PAGE_BYTES_MAX = 65_536;

/** The parameters of a listing request. */
export interface ListRequest {
  /** As received. `undefined` requests the start. */
  readonly cursor: unknown;
  /** The client accepts gzip and receives everything at once. */
  readonly isPacked: boolean;
}

interface Page {
  readonly text: SharedText;
  /** The tools as JSON, without brackets. */
  readonly rows: string;
  readonly next: string | undefined;
}

const FIRST = '';

/**
 * Answers `tools/list` from bytes that are built once: whole and compressed for clients that accept
 * gzip, else in pages. JSON members have no fixed order, so the id comes last and the large part
 * never moves. The cursor of a page is the name of its first tool.
 */
export class ToolListing {
  private readonly listJson: string;
  private readonly appendedRows: readonly JsonObject[];
  private pages: ReadonlyMap<string, Page> | undefined;
  private whole: SharedText | undefined;

  /** @param more - Rows appended to the list. */
  constructor(listJson: string, more: readonly JsonObject[]) {
    this.listJson = listJson;
    this.appendedRows = more;
  }

  /** Returns whether a cursor is valid or absent. */
  hasCursor(cursor: unknown): boolean {
    return this.page(cursor) !== undefined;
  }

  /** Returns the result of a page, or of all tools, as JSON. `undefined` for an invalid cursor. */
  result({ cursor, isPacked }: ListRequest): string | undefined {
    if (cursor === undefined && isPacked) return this.text;
    const page = this.page(cursor);
    return page && `{"tools":[${page.rows}]${nextJson(page)}}`;
  }

  /**
   * Returns the whole reply. `undefined` for an invalid cursor.
   *
   * @param members - Further members of the result.
   */
  reply(id: RpcId, ask: ListRequest, members: JsonObject = {}): HttpReply | undefined {
    const { cursor, isPacked } = ask;
    const others =
      Object.keys(members).length === 0 ? '' : `,${JSON.stringify(members).slice(1, -1)}`;
    const end = `${others}},"id":${JSON.stringify(id)}}`;
    if (cursor === undefined && isPacked) {
      this.whole ??= new SharedText(openingJson(this.text.slice(0, -1)));
      return this.whole.reply(end, true);
    }
    const page = this.page(cursor);
    return page?.text.reply(`${nextJson(page)}${end}`, false);
  }

  private page(cursor: unknown): Page | undefined {
    this.pages ??= paginate(JSON.parse(this.text).tools);
    if (cursor === undefined) return this.pages.get(FIRST);
    return typeof cursor === 'string' && cursor !== FIRST ? this.pages.get(cursor) : undefined;
  }

  /** The result with every tool, as JSON. */
  get text(): string {
    return this.appendedRows.length === 0
      ? this.listJson
      : appendTools(this.listJson, this.appendedRows);
  }
}

/** Returns the listing of a service in which tools that can run as tasks are marked. */
export function taskListJson({ tools, listJson, jobs }: ToolService): string {
  if (jobs === undefined) return listJson;
  const rows = tools.map((tool) =>
    jobs.toolNames.has(tool.name) ? { ...tool, execution: { taskSupport: 'optional' } } : tool,
  );
  return JSON.stringify({ tools: rows });
}

function paginate(tools: readonly { readonly name: string }[]): ReadonlyMap<string, Page> {
  const pages: { readonly first: string; rows: string }[] = [];
  for (const tool of tools) {
    const row = JSON.stringify(tool);
    const page = pages.at(-1);
    const bytes = Buffer.byteLength(row) + Buffer.byteLength(page?.rows ?? '') + 1;
    if (page !== undefined && bytes <= PAGE_BYTES_MAX) page.rows += `,${row}`;
    else pages.push({ first: page === undefined ? FIRST : tool.name, rows: row });
  }
  if (pages.length === 0) pages.push({ first: FIRST, rows: '' });
  return new Map(
    pages.map(({ first, rows }, at) => {
      const text = new SharedText(openingJson(`{"tools":[${rows}]`));
      return [first, { text, rows, next: pages[at + 1]?.first }];
    }),
  );
}

/** Opens the response up to the members of the result that differ. */
function openingJson(result: string): string {
  return `{"jsonrpc":"2.0","result":${result}`;
}

function nextJson({ next }: Page): string {
  return next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`;
}

function appendTools(listJson: string, more: readonly JsonObject[]): string {
  const list: { tools: readonly unknown[] } = JSON.parse(listJson);
  return JSON.stringify({ ...list, tools: [...list.tools, ...more] });
}
