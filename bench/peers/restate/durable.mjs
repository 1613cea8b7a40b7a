// Callers of a Restate object that wait for each answer, as ours wait for `tell`. The server keeps
// what it is told in its log before it answers. CALLERS, SECONDS
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { measureCallers } from '../../lib/callers.mjs';
import { answer } from '../../lib/cpu.mjs';
import { scratch } from '../../lib/output.mjs';
import { cpuMs, freePort, post, sleep, startScript, stopChild } from '../../lib/proc.mjs';

const { CALLERS = '16', SECONDS = '2' } = process.env;
const START_TRIES = 150;
const folder = scratch(`restate-${process.pid}`);
const [ingress, admin, fabric] = [await freePort(), await freePort(), await freePort()];

const server = spawn(serverBinary(), ['--no-logo'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    DO_NOT_TRACK: '1',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_BASE_DIR: folder.path,
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: String(fabric),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
    RESTATE_ADMIN__BIND_PORT: String(admin),
    RESTATE_LOG_FILTER: 'error',
  },
});
const worker = await startScript(
  'restate worker',
  fileURLToPath(new URL('./worker.mjs', import.meta.url)),
);
try {
  await register();
  const callers = Number(CALLERS);
  const used = () => cpuMs(server.pid) + cpuMs(worker.child.pid);
  let before = 0;
  const result = await measureCallers(flip, {
    callers,
    seconds: Number(SECONDS),
    onWarm: () => {
      before = used();
    },
  });
  const peerUs = ((used() - before) * 1000) / result.calls;
  // The client's own share stands beside it: ours needs none, for it calls in its own process.
  answer({ ...result, cpuUs: peerUs, clientUs: result.cpuUs });
} finally {
  await Promise.all([stopChild(worker.child), stopChild(server)]);
  folder.clear();
}
process.exit(0);

async function flip(caller, n) {
  const url = `http://127.0.0.1:${ingress}/flip/${caller}/flip`;
  const { status, body } = await post(url, { n, by: `0x${'ab'.repeat(20)}` });
  if (status !== 200) throw new Error(`${status} ${body}`);
}

async function register() {
  for (let tries = 0; ; tries += 1) {
    try {
      const url = `http://127.0.0.1:${admin}/deployments`;
      const { status, body } = await post(url, { uri: worker.ready.url, use_http_11: false });
      if (status !== 201 && status !== 200)
        throw new Error(`registering answered ${status} ${body}`);
      await flip(0, 0);
      return;
    } catch (error) {
      if (tries >= START_TRIES) throw error;
      await sleep(200);
    }
  }
}

function serverBinary() {
  const require = createRequire(import.meta.url);
  const outer = createRequire(require.resolve('@restatedev/restate-server/package.json'));
  return outer.resolve(`@restatedev/restate-server-linux-${process.arch}/bin/restate-server`);
}
