import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { runSteps } from './steps.mjs';

await runSteps(
  async ({ url, command, args }) => {
    const transport =
      url === undefined
        ? new StdioTransport({ command, args, stderr: 'ignore' })
        : { type: 'http', url };
    const client = await createMCPClient({ transport });
    return {
      list: async () => {
        const tools = [];
        let cursor;
        do {
          const page = await client.listTools(cursor === undefined ? {} : { params: { cursor } });
          tools.push(...page.tools);
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        return tools;
      },
      call: (name, given, { signal }) =>
        client.callTool({ name, arguments: given, options: { signal } }),
      close: () => client.close(),
    };
  },
  { paid: 'no option: _meta', progress: 'no option: progress' },
);
