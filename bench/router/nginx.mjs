// nginx as the router of one service: one worker, kept connections, no log.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, sleep } from '../lib/proc.mjs';

const program = process.env.NGINX ?? 'nginx';
const START_TRIES = 50;
const START_STEP_MS = 100;

/** Whether nginx is on this machine; `NGINX` names another place of it. */
export function hasNginx() {
  return spawnSync(program, ['-v']).error === undefined;
}

/** Starts nginx before a service. */
export async function startNginx(servicePort) {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-nginx-'));
  const port = await freePort();
  mkdirSync(join(folder, 'tmp'));
  writeFileSync(join(folder, 'nginx.conf'), configOf({ folder, port, servicePort }));
  const args = ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')];
  const child = spawn(program, args, { stdio: 'ignore' });
  for (let tries = 0; tries < START_TRIES; tries += 1) {
    await sleep(START_STEP_MS);
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer?.ok) return { child, port, remove: () => rmSync(folder, { recursive: true }) };
  }
  child.kill('SIGKILL');
  throw new Error('nginx did not answer');
}

function configOf({ folder, port, servicePort }) {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/tmp/${name};`)
    .join(' ');
  return `worker_processes 1; daemon off; pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off; ${paths}
  upstream service { server 127.0.0.1:${servicePort}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto http;
    }
  }
}
`;
}
