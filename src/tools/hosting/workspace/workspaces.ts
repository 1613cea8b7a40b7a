import type { Workspace } from '../../../domain/hosting/records.ts';
import type { Grant } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../deps.ts';

/** Workspaces that one answer tells. */
export const WORKSPACES_PAGE = 100;

/** The workspaces that a caller reaches: the one of its token, or all of them. */
export async function workspacesOf(
  { provider }: HostingToolDeps,
  grant: Grant | undefined,
): Promise<{ readonly workspaces: readonly Workspace[]; readonly hasMore: boolean }> {
  const own = grant?.workspaceId;
  if (own !== undefined) {
    return { workspaces: [await provider.workspaces.get(own)], hasMore: false };
  }
  const { items, hasMore } = await provider.workspaces.list({ limit: WORKSPACES_PAGE });
  return { workspaces: items.map(({ item }) => item), hasMore };
}
