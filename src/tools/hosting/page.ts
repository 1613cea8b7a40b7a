import { z } from 'zod';
import type { Paged, PageQuery } from '../../domain/hosting/hosting.ts';
import type { ToolContext } from '../../domain/tool/tool.ts';
import type { HostingToolDeps } from './hosting-tool.ts';
import { PageFields, toPageQuery, WorkspaceField } from './inputs.ts';
import { requireWorkspace } from './workspace/workspace.ts';

/** The input of a tool that lists the resources of one kind in a workspace. */
export const OwnedListInput = z.strictObject({ ...WorkspaceField, ...PageFields });

/** A call of such a tool. */
interface OwnedListCall {
  readonly input: z.infer<typeof OwnedListInput>;
  readonly context: ToolContext;
}

/** The resources of one kind. */
interface OwnedKind<Item> {
  /** Their name in the first line, such as `services`. */
  readonly what: string;
  list(query: PageQuery & { readonly ownerId: string }): Promise<Paged<Item>>;
  lineOf(item: Item): string;
}

/** Returns a page of a workspace's resources with its readable lines and its paging members. */
export async function listOwned<Item>(
  deps: HostingToolDeps,
  call: OwnedListCall,
  { what, list, lineOf }: OwnedKind<Item>,
) {
  const { id: ownerId } = await requireWorkspace(deps, call);
  const { items, more } = toPage(await list({ ownerId, ...toPageQuery(call.input) }));
  const line = formatCount(items.length, what, ownerId, more);
  return { items, more, text: { line, lines: items.map(lineOf) } };
}

/** The paging members of an answer. */
export interface Paging {
  readonly hasMore: boolean;
  readonly cursor?: string;
}

/**
 * Returns the rows of a page and its paging members.
 *
 * @param when - `also_last` returns a cursor on the last page too, because later events, or events
 * older than the default window of the first page, can follow it.
 */
export function toPage<Item>(page: Paged<Item>, when: 'if_more' | 'also_last' = 'if_more') {
  const items = page.items.map(({ item }) => item);
  const cursor = page.items.at(-1)?.cursor;
  const isNamed = cursor !== undefined && (page.hasMore || when === 'also_last');
  const more: Paging = { hasMore: page.hasMore, ...(isNamed ? { cursor } : {}) };
  return { items, more };
}

/** Returns the first line of a list: the count, the kind of rows, and whether more follow. */
export function formatCount(count: number, what: string, of: string, more: Paging): string {
  const rest = more.hasMore ? `; for more, pass cursor ${more.cursor}` : '';
  return `${count} ${what} of ${of}${rest}.`;
}
