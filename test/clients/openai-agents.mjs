import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';
import { RECONNECTION, runSteps } from './steps.mjs';

await runSteps(async ({ url, command, args }) => {
  const patience = { clientSessionTimeoutSeconds: 90, timeout: 90_000, cacheToolsList: false };
  const server =
    url === undefined
      ? new MCPServerStdio({ command, args, ...patience })
      : new MCPServerStreamableHttp({ url, reconnectionOptions: RECONNECTION, ...patience });
  await server.connect();
  return {
    list: () => server.listTools(),
    call: (name, given, { meta, signal }) => server.callToolResult(name, given, meta, { signal }),
    close: () => server.close(),
  };
});
