import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config.ts';
import { downloadServer } from '../../providers/hosting/local/key-value/packages.ts';
import {
  findServer,
  getDownloadFolder,
  SERVER_NAMES,
} from '../../providers/hosting/local/key-value/program.ts';
import { openSandbox } from '../../providers/hosting/local/sandbox.ts';
import type { Finding } from './finding.ts';

/** Programs needed to fetch packages. */
const FETCH_PROGRAMS = ['/usr/bin/apt-get', '/usr/bin/apt-cache', '/usr/bin/dpkg-deb'];

/** Checks whether Key Value instances can be hosted; the fix unpacks Debian packages. */
export async function checkKeyValue(dataDir: string, env: Environment): Promise<Finding> {
  const feature = 'Key Value';
  const needs = `${SERVER_NAMES.join(' or ')}, 7 or newer`;
  // Hosting needs Linux; the search below calls Linux programs.
  if (process.platform !== 'linux') {
    return { feature, needs, state: 'reduced', detail: 'hosting needs Linux' };
  }
  const folder = getDownloadFolder(join(dataDir, 'hosting', 'local'));
  const found = await findServer(openSandbox(env), folder);
  if ('server' in found) return { feature, needs, state: 'ok', detail: found.server.version };
  const finding: Finding = { feature, needs, state: 'reduced', detail: found.why };
  if (!FETCH_PROGRAMS.every((file) => existsSync(file))) return finding;
  const fetch = async (): Promise<void> => void (await downloadServer(folder));
  return { ...finding, fix: { told: `unpack Debian's packages into ${folder}`, fetch } };
}
