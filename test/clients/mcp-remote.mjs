import { openBridge } from './bridged.mjs';
import { runSteps } from './steps.mjs';

await runSteps(({ url }) =>
  openBridge('mcp-remote/dist/proxy.js', [url, '--transport', 'http-only']),
);
