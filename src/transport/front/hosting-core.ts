import type { Grant, Principal, ToolService } from '../../domain/tool/tool.ts';
import type { HttpRequest } from '../http/host.ts';
import { ToolViews } from '../mcp/call/tool-views.ts';
import type { EndpointCore } from '../mcp/endpoint-core.ts';
import { LastWorkspaces } from '../mcp/session/last-workspaces.ts';

/** The principal of the operator token. */
const OPERATOR: Principal = { kind: 'local', id: 'operator' };
/**
 * The empty grant of a request whose token became invalid after the head was checked, such as one
 * revoked while the body was arriving.
 */
const EMPTY_GRANT: Grant = { tokenId: 'none', workspaceId: 'none', toolsets: [], isReadOnly: true };

/** The callers of the hosting server. */
export interface HostingCallers {
  readonly hosting: ToolService;
  readonly workspaces: LastWorkspaces | undefined;
  isOperator(request: HttpRequest): boolean;
  grantOf(request: HttpRequest): Grant | undefined;
}

/**
 * Creates the endpoint at `/hosting/mcp`. The operator may do everything, other tokens what they
 * grant.
 */
export function createHostingCore(
  shared: Omit<EndpointCore, 'path' | 'service' | 'views' | 'carrier'>,
  { hosting, workspaces = new LastWorkspaces(), isOperator, grantOf }: HostingCallers,
): EndpointCore {
  const effectiveGrant = (request: HttpRequest): Grant | undefined =>
    isOperator(request) ? undefined : (grantOf(request) ?? EMPTY_GRANT);
  return {
    ...shared,
    path: '/hosting/mcp',
    service: hosting,
    views: new ToolViews(hosting, []),
    carrier: 'status',
    principalOf: (request) => {
      const grant = effectiveGrant(request);
      return grant === undefined ? OPERATOR : { kind: 'token', id: grant.tokenId };
    },
    grantOf: effectiveGrant,
    workspaces,
    namesVersions: true,
  };
}
