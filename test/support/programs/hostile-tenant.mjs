// A hosted program that tries to get out. It answers with what it got: nothing is the good answer.
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import {
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcp } from 'node:net';
import { networkInterfaces } from 'node:os';

const WAIT_MS = 2_500;
const OWN_VARIABLES =
  /^(PATH|HOME|PORT|LANG|LC_ALL|PWD|OLDPWD|SHLVL|_|OWN|STOA_(RUN|INSTANCE_ID|SERVICE_ID|SERVICE_NAME|GIT_COMMIT|GIT_BRANCH))$/;
const ptrace = process.arch === 'arm64' ? 117 : 101;

/** Every attempt by name: what it answers is what it got; throwing or `''` is nothing. */
const toOthers = ({ ports, files, folders, pids, secret, udp }) => ({
  ...each(ports, (port, name) => [`connects to ${name}`, () => reach('127.0.0.1', port)]),
  ...each(ports, (port, name) => [`connects to ${name} by ::1`, () => reach('::1', port)]),
  ...each(ports, (port, name) => [
    `connects to ${name} by ::ffff`,
    () => reach('::ffff:127.0.0.1', port),
  ]),
  ...each(ports, (port, name) => [`connects to ${name} by 0.0.0.0`, () => reach('0.0.0.0', port)]),
  ...each(machineAddresses(), (address) => [
    `connects to the server by ${address}`,
    () => reach(address, ports['the server']),
  ]),
  'connects to 169.254.169.254': () => reach('169.254.169.254', 80),
  'connects to fd00:ec2::254': () => reach('fd00:ec2::254', 80),
  'sends a datagram to the machine': () => datagram(udp),
  ...each(files, (path, name) => [`reads ${name}`, () => readFileSync(path, 'utf8') || 'empty']),
  ...each(files, (path, name) => [`writes ${name}`, () => wrote(path)]),
  ...each(folders, (path, name) => [`lists ${name}`, () => readdirSync(path).join()]),
  ...each(folders, (path, name) => [
    `takes the cover off ${name} in a user namespace`,
    () => shell(`unshare -Urm sh -c 'umount ${path}; ls -A ${path}'`),
  ]),
  ...each(pids, (pid, name) => [
    `reads the variables of ${name}`,
    () => readFileSync(`/proc/${pid}/environ`, 'utf8'),
  ]),
  ...each(pids, (pid, name) => [
    `sees that ${name} runs`,
    () => readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
  ]),
  ...each(pids, (pid, name) => [
    `follows the root of ${name}`,
    () => readlinkSync(`/proc/${pid}/root`),
  ]),
  ...each(pids, (pid, name) => [
    `opens the memory of ${name}`,
    () => openSync(`/proc/${pid}/mem`, 'r'),
  ]),
  ...each(pids, (pid, name) => [`signals ${name}`, () => process.kill(pid, 0)]),
  ...each(pids, (pid, name) => [`ends ${name}`, () => process.kill(pid, 'SIGTERM')]),
  ...each(pids, (pid, name) => [
    `traces ${name}`,
    () => perl(`syscall(${ptrace}, 16, ${pid}, 0, 0) == 0 and print "traced"`),
  ]),
  'finds the secret in any process': () =>
    pidsHere()
      .filter((pid) => has(`/proc/${pid}/environ`, secret))
      .join(),
  'finds the secret in a place for everybody': () =>
    ['/tmp', '/var/tmp', '/dev/shm', '/run/lock']
      .filter((place) => shell(`grep -rl ${secret} ${place}`) !== '')
      .join(),
});

const toTheMachine = ({ ports, pids, abstract, own }) => ({
  'becomes root by its own word': () => perl('$< = 0; $> = 0; $> == 0 and print "root"'),
  'becomes root by su': () => shell('su -c id root < /dev/null | grep uid=0'),
  'becomes root by sudo': () => shell('sudo -n id | grep uid=0'),
  'becomes its neighbour': () => shell(`setpriv --reuid ${own + 1} id | grep ${own + 1}`),
  mounts: () => shell('mount -t tmpfs x /mnt && echo mounted'),
  'enters the view of the server': () => shell(`nsenter -t ${pids['the server']} -m ls /`),
  'has a raw socket': () => perl('socket(S, 2, 3, 1) and print "raw"'),
  'has a packet socket': () => perl('socket(S, 17, 3, 0) and print "packet"'),
  'has a socket to the hypervisor': () => perl('socket(S, 40, 1, 0) and print "vsock"'),
  'has a raw socket of a user namespace that is not its own network': () =>
    shell(`unshare -Ur perl -e 'socket(S, 2, 3, 1) and print "raw"'`),
  'reaches an abstract socket': () =>
    perl(`socket(S, 1, 1, 0); connect(S, pack("Sxa*", 1, "${abstract}")) and print "reached"`),
  'changes the rules of the network': () => shell('nft flush ruleset && echo changed'),
  'leaves its group': () => leftGroups(),
  'widens its group': () =>
    groupFolders()
      .flatMap((folder) =>
        ['memory.limit_in_bytes', 'memory.max', 'pids.max'].map((name) => `${folder}/${name}`),
      )
      .filter((file) => wrote(file, 'max\n') !== '')
      .join(),
  'makes a group': () =>
    groupFolders()
      .filter((folder) => shell(`mkdir ${folder}/own && echo made`) !== '')
      .join(),
  'writes to settings of the kernel': () =>
    ['/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/sys/kernel/uevent_helper']
      .map((file) => wrote(file))
      .join(''),
  'reads disks and memory of the machine': () =>
    ['/dev/mem', '/dev/vda', '/dev/sda', '/dev/kmsg'].filter((file) => opened(file)).join(),
  'loads a module': () => shell('modprobe dummy && echo loaded'),
  ...each(ports, (port, name) => [`listens in the place of ${name}`, () => listens(port)]),
});

/** What it was started with: descriptors, memory and variables of its starter. */
const fromItsStarter = ({ folders, secret }) => ({
  'has a file open that it did not open': () => leftOpen().join(),
  'reads a file that was left open': () =>
    leftOpen()
      .map(({ fd }) => readSync(fd, Buffer.alloc(4_096), 0, 4_096, 0))
      .join(),
  'writes to a file that was left open': () =>
    leftOpen()
      .map(({ fd }) => writeSync(fd, Buffer.from('x'), 0, 1, 0))
      .join(),
  'opens a descriptor of its own anew': () =>
    leftOpen()
      .map(({ fd }) => openSync(`/proc/self/fd/${fd}`, 'r+'))
      .join(),
  'is told of a file of the server': () => Object.values(folders).map(told).join(''),
  'has a file of a store in its memory': () => linesWith('/proc/self/maps', 'data.mdb'),
  'finds the secret in its memory': () =>
    linesWith('/proc/self/environ', secret) || linesWith('/proc/self/cmdline', secret),
  'has a variable of the server': () =>
    Object.keys(process.env)
      .filter((name) => !OWN_VARIABLES.test(name))
      .join(),
  'finds an open store in any process': () => pidsHere().flatMap(storesOf).join(),
});

const attempts = (targets) => ({
  ...toOthers(targets),
  ...toTheMachine(targets),
  ...fromItsStarter(targets),
});

/** What it may do, so that nothing above is refused for another reason. */
const allowed = ({ stores }) => ({
  'connects to itself': () => reach('127.0.0.1', Number(process.env.PORT)),
  ...each(stores, (port, name) => [`connects to ${name}`, () => reach('127.0.0.1', port)]),
  'writes to its build': () => wrote('own-file', 'x'),
  'writes to /tmp': () => wrote('/tmp/own-file', 'x'),
});

createServer((asked, answer) => {
  let text = '';
  asked.on('data', (piece) => {
    text += piece;
  });
  asked.on('end', () => void answerWith(answer, asked.url, text));
}).listen(process.env.PORT, '127.0.0.1');

async function answerWith(answer, url, text) {
  const targets = JSON.parse(text);
  const all = url === '/allowed' ? allowed(targets) : attempts(targets);
  const got = Object.entries(all).map(async ([name, run]) => [name, await outcome(run)]);
  answer.end(JSON.stringify(Object.fromEntries(await Promise.all(got))));
}

async function outcome(run) {
  try {
    return String(await run());
  } catch {
    return '';
  }
}

function each(all, row) {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => row(value, name)));
}

function reach(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: WAIT_MS });
    const end = (word) => {
      socket.destroy();
      resolve(word);
    };
    socket.on('connect', () => end('reached'));
    socket.on('timeout', () => end(''));
    socket.on('error', () => end(''));
  });
}

/** Whether it arrived is seen where it would. */
function datagram(port) {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.on('error', () => resolve(''));
    socket.send('hello', port, '127.0.0.1', () => setTimeout(() => resolve(''), 200));
  });
}

function listens(port) {
  return new Promise((resolve) => {
    const server = createTcp();
    server.on('error', () => resolve(''));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve('listens')));
  });
}

function wrote(file, text = 'x') {
  try {
    writeFileSync(file, text, { flag: 'a' });
    return `wrote ${file}`;
  } catch {
    return '';
  }
}

function opened(file) {
  try {
    return openSync(file, 'r') > 0;
  } catch {
    return false;
  }
}

function has(file, text) {
  try {
    return readFileSync(file, 'utf8').includes(text);
  } catch {
    return false;
  }
}

function shell(command) {
  const done = spawnSync('/bin/sh', ['-c', command], {
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return done.status === 0 ? String(done.stdout).trim() : '';
}

function perl(script) {
  return String(spawnSync('/usr/bin/perl', ['-e', script], { timeout: 10_000 }).stdout);
}

function pidsHere() {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
}

/** Files above the standard three; node itself opens none that stays. */
function leftOpen() {
  const fds = readdirSync('/proc/self/fd').map(Number);
  return fds.flatMap((fd) => {
    try {
      const isOther = fd > 2 && fstatSync(fd).isFile() && !isOwn(fd);
      return isOther ? [{ fd, toString: () => linkOf(`/proc/self/fd/${fd}`) }] : [];
    } catch {
      return [];
    }
  });
}

function isOwn(fd) {
  return /^\/(usr|lib|mnt\/app)\//.test(linkOf(`/proc/self/fd/${fd}`));
}

function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** What the kernel says of mapped and open files that names a folder; what it prints to is its own. */
function told(folder) {
  const fds = readdirSync('/proc/self/fd').filter((fd) => Number(fd) > 2);
  const open = fds.map((fd) => linkOf(`/proc/self/fd/${fd}`));
  return [...open.filter((path) => path.startsWith(folder)), linesWith('/proc/self/maps', folder)]
    .filter((word) => word !== '')
    .join();
}

function linesWith(file, text) {
  const lines = readFileSync(file, 'utf8').split(/[\n\0]/);
  return lines.filter((line) => line.includes(text)).join();
}

function storesOf(pid) {
  try {
    const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    return fds.filter((path) => path.endsWith('.mdb'));
  } catch {
    return [];
  }
}

function groupFolders() {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  return lines.flatMap((line) => {
    const [, controllers, path] = line.split(':');
    return [`/sys/fs/cgroup/${controllers}${path}`, `/sys/fs/cgroup${path}`];
  });
}

function leftGroups() {
  const roots = groupFolders().flatMap((folder) => [
    `${folder}/..`,
    '/sys/fs/cgroup/memory',
    '/sys/fs/cgroup',
  ]);
  return roots.filter((root) => wrote(`${root}/cgroup.procs`, String(process.pid)) !== '').join();
}

/** Link-local ones need a zone; the machine's others do not. */
function machineAddresses() {
  const all = Object.values(networkInterfaces()).flat();
  return all.map(({ address }) => address).filter((address) => !address.startsWith('fe80'));
}
