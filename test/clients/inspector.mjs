// The command line of the Inspector starts anew for every step.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { runSteps } from './steps.mjs';

const PROGRAM = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

await runSteps(
  async ({ url, command, args }) => {
    const target = url === undefined ? ['--', command, ...args] : ['--transport', 'http', url];
    const ask = async (...argv) => {
      const said = await execute([PROGRAM, '--cli', ...argv, '--format', 'json', ...target]);
      if (said.out === '') throw new Error(said.errors);
      return JSON.parse(said.out).result;
    };
    await ask('--method', 'initialize');
    return {
      list: async () => (await ask('--method', 'tools/list')).tools,
      call: (name, given) => {
        const call = ['--method', 'tools/call', '--tool-name', name];
        return ask(...call, '--tool-args-json', JSON.stringify(given));
      },
      close: async () => undefined,
    };
  },
  {
    paid: 'no option: _meta with objects',
    progress: 'no option: progress',
    cancel: 'no option: signal',
  },
);

function execute(argv) {
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { timeout: 30_000 }, (_error, out, errors) => {
      resolve({ out, errors });
    });
  });
}
