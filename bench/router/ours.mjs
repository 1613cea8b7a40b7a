// Our router as it runs for hosted services: its own process, with a row for each request.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(
  new URL(`../../${process.env.STOA_DIST ?? 'dist'}/cli.js`, import.meta.url),
);

/** Starts the router before a service. */
export async function startRouter(servicePort) {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-router-'));
  const instances = [{ id: 'one', address: '127.0.0.1', port: servicePort }];
  const route = { serviceId: 'srv-1', hosts: ['127.0.0.1'], to: { kind: 'instances', instances } };
  writeFileSync(join(folder, 'routes.json'), JSON.stringify({ version: 1, routes: [route] }));
  const args = [cli, 'router', '--folder', folder, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', (piece) => resolve(String(piece)));
    child.once('exit', (code) => reject(new Error(`the router ended with ${code}`)));
  });
  return { child, port: JSON.parse(line).port, remove: () => rmSync(folder, { recursive: true }) };
}
