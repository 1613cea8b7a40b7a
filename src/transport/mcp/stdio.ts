import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolService } from '../../domain/tool/tool.ts';
import type { RateLimiter } from './call/rate-limiter.ts';
import { findRateLimitedTools } from './call/tool-views.ts';
import { type Caller, createServiceServer } from './sdk/service-server.ts';
import {
  createMemorySelection,
  createToolSession,
  type LastWorkspaces,
} from './session/last-workspaces.ts';
import { type StdioStreams, StreamTransport } from './stream-transport.ts';
import { SubscriptionTransport } from './tasks/subscription-transport.ts';

/**
 * Serves a tool service to one client over a pair of streams: the four versions that start with
 * `initialize`, and 2026-07-28 without. The first message decides the version.
 *
 * @param gate - Rate limits of the front. They apply here if local callers are limited.
 * @param workspaces - The last workspaces of callers, if sessions select one. The connection is the
 * session; the version without sessions selects none.
 * @returns Resolves when the client has left. The caller must close the streams.
 */
export function serveStreams(
  service: ToolService,
  streams: StdioStreams,
  gate?: RateLimiter,
  workspaces?: LastWorkspaces,
): Promise<void> {
  const principal = { kind: 'local', id: 'stdio' } as const;
  const rateLimitedTools = findRateLimitedTools(service);
  const caller: Caller = {
    principal,
    payments: [],
    hasLegacyPayment: false,
    checkRate: (tool) =>
      gate?.countRequest(principal) ??
      (rateLimitedTools.has(tool) ? gate?.countToolCall(principal, tool) : undefined),
  };
  const session =
    workspaces === undefined
      ? undefined
      : createToolSession(workspaces, principal, createMemorySelection());
  const withSession = session === undefined ? caller : { ...caller, session };
  const stream = new StreamTransport(streams);
  const { jobs } = service;
  const sessionTransport = jobs === undefined ? stream : new SubscriptionTransport(stream, jobs);
  const handle = serveStdio(
    ({ era }) => {
      const known = era === 'legacy' ? withSession : caller;
      return createServiceServer(service, () => known, 'public', era);
    },
    { transport: sessionTransport },
  );
  return new Promise((resolve) => {
    // The SDK has set its own listener, which must run first.
    const sdkListener = sessionTransport.onclose;
    sessionTransport.onclose = () => {
      sdkListener?.();
      handle.close().then(resolve, resolve);
    };
  });
}
