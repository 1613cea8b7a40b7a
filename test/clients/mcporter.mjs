import { createRuntime } from 'mcporter';
import { runSteps } from './steps.mjs';

await runSteps(
  async ({ url, command, args }) => {
    const found =
      url === undefined
        ? { kind: 'stdio', command, args, cwd: process.cwd() }
        : { kind: 'http', url: new URL(url) };
    const servers = [{ name: 'stoa', command: found }];
    const runtime = await createRuntime({ servers });
    return {
      list: () => runtime.listTools('stoa'),
      call: (name, given) => runtime.callTool('stoa', name, { args: given, timeoutMs: 55_000 }),
      close: () => runtime.close(),
    };
  },
  { paid: 'no option: _meta', progress: 'no option: progress', cancel: 'no option: signal' },
);
