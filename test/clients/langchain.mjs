import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { runSteps } from './steps.mjs';

await runSteps(
  async ({ url, command, args }) => {
    let onprogress;
    const client = new MultiServerMCPClient({
      mcpServers: {
        stoa:
          url === undefined ? { transport: 'stdio', command, args } : { transport: 'http', url },
      },
      onProgress: (progress) => onprogress?.(progress),
    });
    const tools = await client.getTools();
    return {
      list: async () => tools,
      call: async (name, given, options) => {
        ({ onprogress } = options);
        const tool = tools.find((one) => one.name === name);
        return tool.invoke(given, { signal: options.signal, timeout: 55_000 });
      },
      close: () => client.close(),
    };
  },
  { paid: 'no option: _meta' },
);
