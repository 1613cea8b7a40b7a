import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolService } from '../../domain/tool/tool.ts';
import type { RateGate } from './call/rate-gate.ts';
import { outsideAndFree } from './call/tool-views.ts';
import { type Caller, makeServiceServer } from './sdk/service-server.ts';
import { type LastWorkspaces, placeInMemory, toolSession } from './session/last-workspaces.ts';
import { type StdioStreams, StreamTransport } from './stream-transport.ts';
import { ListeningTransport } from './tasks/listening-transport.ts';

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
  gate?: RateGate,
  workspaces?: LastWorkspaces,
): Promise<void> {
  const principal = { kind: 'local', id: 'stdio' } as const;
  const outside = outsideAndFree(service);
  const caller: Caller = {
    principal,
    payments: [],
    hasLegacyPayment: false,
    refuses: (tool) =>
      gate?.request(principal) ?? (outside.has(tool) ? gate?.toolCall(principal, tool) : undefined),
  };
  const session =
    workspaces === undefined ? undefined : toolSession(workspaces, principal, placeInMemory());
  const withSession = session === undefined ? caller : { ...caller, session };
  const stream = new StreamTransport(streams);
  const { jobs } = service;
  const wire = jobs === undefined ? stream : new ListeningTransport(stream, jobs);
  const handle = serveStdio(
    ({ era }) => {
      const known = era === 'legacy' ? withSession : caller;
      return makeServiceServer(service, () => known, 'public', era);
    },
    { transport: wire },
  );
  return new Promise((resolve) => {
    // The SDK has set its own listener, which must run first.
    const heard = wire.onclose;
    wire.onclose = () => {
      heard?.();
      handle.close().then(resolve, resolve);
    };
  });
}
