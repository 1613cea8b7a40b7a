import type { Grant, Principal, ToolSession } from '../../../domain/tool/tool.ts';
import type { HttpRequest } from '../../http/host.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { toolSession } from './last-workspaces.ts';
import type { McpSession } from './session.ts';

/** What a tool is told of a call beside its arguments: the session and the grant of the caller. */
export interface SessionCaller {
  readonly session?: ToolSession;
  readonly grant?: Grant;
}

/** What a call of a session brings along; nothing on endpoints that know neither. */
export function sessionCaller(
  core: EndpointCore,
  session: McpSession,
  request: HttpRequest,
  caller: Principal,
): SessionCaller {
  const { workspaces, sessions } = core;
  const grant = core.grantOf?.(request);
  const selection =
    workspaces === undefined
      ? undefined
      : toolSession(workspaces, caller, {
          read: () => session.row.workspaceId,
          write: (workspaceId) => sessions.noteWorkspace(session, workspaceId),
        });
  return {
    ...(selection === undefined ? {} : { session: selection }),
    ...(grant === undefined ? {} : { grant }),
  };
}

/** Whether a session was begun by another caller, so that this one must not go on with it. */
export function isOthers(core: EndpointCore, session: McpSession, request: HttpRequest): boolean {
  if (core.grantOf === undefined) return false;
  return session.row.principal !== core.principalOf(request).id;
}
