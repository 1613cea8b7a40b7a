// What the project uses beyond plain Node, and whether this machine has it.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CHECKOUT } from './checkout.mjs';
import { hasKeyValueServer } from './key-value-server.mjs';

const load = createRequire(join(CHECKOUT, 'package.json'));
const STRACE = 'strace';
const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);
const REINSTALL = 'npm install --no-save --include=optional';

/** Each need: what it is, what it is for, a probe that answers why it is missing, and the cure. */
export const NEEDS = [
  {
    name: 'anvil',
    use: 'the local chain that payments settle on',
    probe: anvilFault,
    cure: REINSTALL,
  },
  { name: 'lmdb', use: 'the durable store', probe: () => loadFault('lmdb'), cure: REINSTALL },
  {
    name: 'uWebSockets.js',
    use: 'the fast HTTP engine; node:http serves without it',
    probe: uwsFault,
    cure: 'Node 20 has one; other versions serve with --http auto or node',
    isOptional: true,
  },
  {
    name: 'strace',
    use: 'the tests of failing disks and lost power',
    probe: straceFault,
    cure: 'apt-get install strace, or the like; other systems than Linux have none',
    isOptional: true,
  },
  {
    name: 'chromium',
    use: 'the tests of the console in a browser',
    probe: chromiumFault,
    cure: 'apt-get install chromium, or name one in STOA_CHROMIUM',
  },
  {
    name: 'valkey-server or redis-server',
    use: 'the tests of Key Value instances',
    probe: () => (hasKeyValueServer() ? undefined : 'neither is installed, nor could be fetched'),
    cure: 'apt-get install redis-server, or the like; other systems than Linux have no hosting',
    isOptional: process.platform !== 'linux',
  },
  {
    name: 'secp256k1',
    use: 'fast checks of payment signatures',
    probe: () => loadFault('secp256k1/bindings.js'),
    cure: REINSTALL,
  },
];

/** The needs that this machine lacks, as `{name, why, cure, isOptional}`. */
export function missingNeeds() {
  return NEEDS.flatMap(({ name, use, probe, cure, isOptional = false }) => {
    const fault = probe();
    return fault === undefined ? [] : [{ name: `${name}, ${use}`, why: fault, cure, isOptional }];
  });
}

function anvilFault() {
  const { platform } = process;
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const file = platform === 'win32' ? 'anvil.exe' : 'anvil';
  try {
    const home = load.resolve(`@foundry-rs/anvil-${platform}-${arch}/package.json`);
    return existsSync(join(dirname(home), 'bin', file)) ? undefined : 'its binary is not there';
  } catch {
    return `npm has no package of it for ${platform} ${arch}, or did not install it`;
  }
}

// Asks for the native file itself: the package would load its slow JavaScript fallback in silence.
function uwsFault() {
  const { platform, arch, versions } = process;
  const binary = `uws_${platform}_${arch}_${versions.modules}.node`;
  const home = join(CHECKOUT, 'node_modules', 'uWebSockets.js');
  const places = [join(home, binary), join(home, 'binaries', binary)];
  return places.some((place) => existsSync(place)) ? undefined : `it has no ${binary}`;
}

function straceFault() {
  const { error, status } = spawnSync(STRACE, ['-V'], { stdio: 'ignore', timeout: 10_000 });
  return error === undefined && status === 0 ? undefined : 'it is not installed';
}

// The places in which test/support/browser.ts looks.
function chromiumFault() {
  const places = [process.env.STOA_CHROMIUM ?? '', ...CHROMIUM];
  return places.some((place) => existsSync(place)) ? undefined : 'it is not installed';
}

function loadFault(name) {
  try {
    load(name);
    return undefined;
  } catch (cause) {
    return String(cause.message).split('\n')[0];
  }
}
