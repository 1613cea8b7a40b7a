import type { Grant, Principal, ToolService } from '../../domain/tool/tool.ts';
import type { HttpRequest } from '../http/host.ts';
import { ToolViews } from '../mcp/call/tool-views.ts';
import type { EndpointCore } from '../mcp/endpoint-core.ts';
import { LastWorkspaces } from '../mcp/session/last-workspaces.ts';

/** Who calls with the operator's own token. */
const OPERATOR: Principal = { kind: 'local', id: 'operator' };
/**
 * What a request is granted whose token was good when its head came and is not any more, such as
 * one that was revoked while its body was on the way: nothing.
 */
const NOTHING: Grant = { tokenId: 'none', workspaceId: 'none', toolsets: [], isReadOnly: true };

/** What the endpoint of the hosting server knows of its callers. */
export interface HostingCallers {
  readonly hosting: ToolService;
  readonly workspaces: LastWorkspaces | undefined;
  isOperator(request: HttpRequest): boolean;
  grantOf(request: HttpRequest): Grant | undefined;
}

/** The endpoint at `/hosting/mcp`: the operator may do everything, other tokens what they grant. */
export function hostingCore(
  shared: Omit<EndpointCore, 'path' | 'service' | 'views' | 'carrier'>,
  { hosting, workspaces = new LastWorkspaces(), isOperator, grantOf }: HostingCallers,
): EndpointCore & Required<Pick<EndpointCore, 'grantOf'>> {
  const granted = (request: HttpRequest): Grant | undefined =>
    isOperator(request) ? undefined : (grantOf(request) ?? NOTHING);
  return {
    ...shared,
    path: '/hosting/mcp',
    service: hosting,
    views: new ToolViews(hosting, []),
    carrier: 'status',
    principalOf: (request) => {
      const grant = granted(request);
      return grant === undefined ? OPERATOR : { kind: 'token', id: grant.tokenId };
    },
    grantOf: granted,
    workspaces,
    namesVersions: true,
  };
}
