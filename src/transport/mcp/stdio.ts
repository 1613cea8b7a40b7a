import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolService } from '../../domain/tool.ts';
import { type Caller, makeServiceServer } from './service-server.ts';
import { type StdioStreams, StreamTransport } from './stream-transport.ts';

/**
 * Serves a tool service to one client over a pair of streams: the four versions that begin with
 * `initialize`, and 2026-07-28 without. The first message decides.
 *
 * @returns Resolves when the client is gone. The streams are the caller's to close.
 */
export function serveStreams(service: ToolService, streams: StdioStreams): Promise<void> {
  const caller: Caller = {
    principal: { kind: 'local', id: 'stdio' },
    payments: [],
    hasLegacyPayment: false,
  };
  const wire = new StreamTransport(streams);
  const handle = serveStdio(() => makeServiceServer(service, () => caller), { transport: wire });
  return new Promise((resolve) => {
    // The SDK has put its own listener there; it hears of the end first.
    const heard = wire.onclose;
    wire.onclose = () => {
      heard?.();
      handle.close().then(resolve, resolve);
    };
  });
}
