import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { RECONNECTION, runSteps } from './steps.mjs';

await runSteps(async ({ url, command, args }) => {
  // `auto` takes 2026-07-28 where the server speaks it.
  const client = new Client(
    { name: 'client', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  );
  await client.connect(
    url === undefined
      ? new StdioClientTransport({ command, args, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(url), { reconnectionOptions: RECONNECTION }),
  );
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, given, { meta, ...options }) =>
      client.callTool(
        { name, arguments: given, ...(meta && { _meta: meta }) },
        { timeout: 55_000, resetTimeoutOnProgress: true, ...options },
      ),
    close: () => client.close(),
  };
});
