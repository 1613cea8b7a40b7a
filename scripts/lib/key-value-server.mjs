// A server of Key Value for the tests: the machine's, or Debian's packages unpacked into the cache.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './checkout.mjs';

const NAMES = ['valkey-server', 'redis-server'];
/** Where test/support/hosting/fetched-server.ts looks. */
const FETCHED = join(CHECKOUT, '.cache', 'programs', 'key-value');
const FETCHING = ['/usr/bin/apt-get', '/usr/bin/dpkg-deb'];
const PLACES = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/opt/valkey/bin'];

/** Whether there is one. */
export function hasKeyValueServer() {
  const places = [...(process.env.PATH ?? '').split(':'), ...PLACES, join(FETCHED, 'usr', 'bin')];
  return places.some((place) =>
    NAMES.some((name) => place !== '' && existsSync(join(place, name))),
  );
}

/** Fetches one where that is possible; nothing is installed. Failing is told, and no failure. */
export async function fetchKeyValueServer(say) {
  const canFetch = FETCHING.every((file) => existsSync(file));
  if (process.platform !== 'linux' || !canFetch || hasKeyValueServer()) return;
  say('Unpacking a Key Value server of Debian into .cache …');
  try {
    // It loads a package, which a fresh checkout has only by now.
    const { importTypeScript } = await import('./typescript-module.mjs');
    const module = 'src/providers/hosting/local/key-value/packages.ts';
    const { downloadServer } = await importTypeScript(module);
    await downloadServer(FETCHED);
  } catch (cause) {
    say(`It could not be fetched: ${cause.message}`);
  }
}
