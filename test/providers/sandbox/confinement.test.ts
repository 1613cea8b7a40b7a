import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { detectConfinement } from '../../../src/providers/sandbox/confinement.ts';

const argv = detectConfinement();
const confined = test.skipIf(argv.length === 0);
const KINDS = { unix: [1, 1], v4: [2, 1], v6: [10, 1], netlink: [16, 3] };
const ODD = { packet: [17, 3], vsock: [40, 1], algorithms: [38, 5], bluetooth: [31, 1] };

confined('a confined program has sockets of four families and of no other', () => {
  for (const [name, [family, type]] of Object.entries(KINDS)) {
    expect(said(`socket(S, ${family}, ${type}, 0) and print "made"`), name).toBe('made');
  }
  for (const [name, [family, type]] of Object.entries(ODD)) {
    const made = `socket(S, ${family}, ${type}, 0) and print "made"; print $! + 0`;
    expect(said(made), name).toBe('97');
  }
});

confined('a confined program reaches no abstract socket but its own', async () => {
  const name = `stoa-${randomUUID()}`;
  const listening = (at: string): string =>
    `socket(S, 1, 1, 0); bind(S, pack("Sxa*", 1, "${at}")); listen(S, 9);`;
  const other = spawn('perl', ['-e', `$| = 1; ${listening(name)} print "up"; sleep 100`]);
  await new Promise((done) => other.stdout.once('data', done));
  const reach = (to: string): string =>
    `socket(C, 1, 1, 0); connect(C, pack("Sxa*", 1, "${to}")) and print "reached"`;
  try {
    expect(said(reach(name))).toBe('');
    const own = `${name}-own`;
    expect(said(`${listening(own)} ${reach(own)}`)).toBe('reached');
    // Without it the same words reach it: the test tries what it says.
    expect(String(spawnSync('perl', ['-e', reach(name)]).stdout)).toBe('reached');
  } finally {
    other.kill('SIGKILL');
  }
});

function said(script: string): string {
  const args = ['--no-new-privs', ...argv, '/usr/bin/perl', '-e', script];
  const { stdout } = spawnSync('setpriv', args, { timeout: 60_000 });
  return String(stdout);
}
