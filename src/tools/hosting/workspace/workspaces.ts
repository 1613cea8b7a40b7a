import type { Workspace } from '../../../domain/hosting/records.ts';
import type { Grant } from '../../../domain/tool/tool.ts';
import type { HostingToolDeps } from '../deps.ts';

/** Maximum workspaces of one answer. */
export const WORKSPACES_PAGE = 100;

/** Returns the workspaces that a caller can reach: the one of its token, or all. */
export async function listReachableWorkspaces(
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
