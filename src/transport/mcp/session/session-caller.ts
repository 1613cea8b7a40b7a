import type { Grant, Principal, ToolSession } from '../../../domain/tool/tool.ts';
import type { HttpRequest } from '../../http/host.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { createToolSession } from './last-workspaces.ts';
import type { McpSession } from './session.ts';

/** The session and grant that a tool call receives beside its arguments. */
export interface SessionCaller {
  readonly session?: ToolSession;
  readonly grant?: Grant;
}

/** Returns the session and grant of a call. Empty on endpoints that have neither. */
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
      : createToolSession(workspaces, caller, {
          read: () => session.row.workspaceId,
          write: (workspaceId) => sessions.recordWorkspace(session, workspaceId),
        });
  return {
    ...(selection === undefined ? {} : { session: selection }),
    ...(grant === undefined ? {} : { grant }),
  };
}

/** Returns whether another caller started a session, so that this one must not use it. */
export function isForeignSession(
  core: EndpointCore,
  session: McpSession,
  request: HttpRequest,
): boolean {
  if (core.grantOf === undefined) return false;
  return session.row.principal !== core.principalOf(request).id;
}
