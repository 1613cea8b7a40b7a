// The gateway offers an address to a stdio client, or a stdio command as an address of its own.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'sdk-1.32/client/index.js';
import { StreamableHTTPClientTransport } from 'sdk-1.32/client/streamableHttp.js';
import { bridgedClient, openBridge } from './bridged.mjs';
import { runSteps } from './steps.mjs';

const PROGRAM = 'supergateway/dist/index.js';
const QUIET = ['--logLevel', 'none'];

await runSteps(({ url, command, args }) =>
  url === undefined
    ? openGateway([command, ...args].join(' '))
    : openBridge(PROGRAM, ['--streamableHttp', url, ...QUIET]),
);

async function openGateway(line) {
  const port = await freePort();
  const program = createRequire(import.meta.url).resolve(PROGRAM);
  const options = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port)];
  const argv = [program, '--stdio', line, ...options, ...QUIET];
  const gateway = spawn(process.execPath, argv, { stdio: 'ignore' });
  const client = new Client({ name: 'bridged', version: '1' });
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await connected(() => client.connect(new StreamableHTTPClientTransport(url)));
  const close = async () => {
    await client.transport.terminateSession();
    await client.close();
    gateway.kill();
  };
  return { ...bridgedClient(client), close };
}

/** The gateway says nowhere that it listens. */
async function connected(attempt, triesLeft = 400) {
  try {
    await attempt();
  } catch (thrown) {
    if (triesLeft === 0) throw thrown;
    await pause(100);
    await connected(attempt, triesLeft - 1);
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
