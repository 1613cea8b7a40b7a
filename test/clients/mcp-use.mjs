import { MCPClient } from 'mcp-use/client';
import { runSteps } from './steps.mjs';

await runSteps(
  async ({ url, command, args }) => {
    const stoa = url === undefined ? { command, args } : { url };
    const client = MCPClient.fromDict({ mcpServers: { stoa } });
    const session = await client.createSession('stoa');
    return {
      list: () => session.listTools(),
      call: (name, given, { onprogress, signal }) => {
        const patience = { timeout: 55_000, resetTimeoutOnProgress: true };
        return session.callTool(name, given, { ...patience, onprogress, signal });
      },
      close: () => client.closeAllSessions(),
    };
  },
  { paid: 'no option: _meta' },
);
