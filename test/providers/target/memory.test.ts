import { createMemoryTargets } from '../../support/target-memory-targets.ts';
import { targetContract } from './target.contract.ts';

const greeting = { serverInfo: { name: 'small', version: '1.0.0' } };
const targets = createMemoryTargets({
  small: {
    greeting,
    answer: (method, params) => {
      if (method === 'tools/list') return { result: { tools: [{ name: 'echo' }] } };
      const { name, arguments: values } = params as {
        name: string;
        arguments: { text: string };
      };
      if (name === 'echo') return { result: { content: [{ type: 'text', text: values.text }] } };
      if (name === 'silent') return 'silent';
      return { error: { code: -32602, message: 'unknown tool' } };
    },
  },
});

targetContract(() => ({ targets, address: { kind: 'mcp_stdio', name: 'small' } }));
