import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { spawnSync } from '../../system/child.ts';
import { type Cgroups, detectCgroups } from '../sandbox/cgroups.ts';
import { detectConfinement } from '../sandbox/confinement.ts';
import { PATH_DEFAULT } from '../sandbox/find-program.ts';
import { createProgramSandbox } from '../sandbox/program-sandbox.ts';
import { claimUsers, type UserRange } from '../sandbox/users.ts';
import type { AllowedCommand } from './audit-settings.ts';
import { findProgramPaths } from './program-paths.ts';

/** Most targets that are open at once. */
const SANDBOXES_MAX = 64;
/** Limits for all processes of one target together. */
const LIMITS = { cpu: 1, memoryMib: 1_024 };
/** Time limit for killed processes to disappear, and the poll interval, in milliseconds. */
const KILL_MS = 10_000;
const POLL_MS = 20;

/** The start command for the processes of one opened target. */
export interface SandboxedProgram {
  /** Program and arguments of a new process. */
  readonly argv: readonly string[];
  /** Search path for programs. */
  readonly path: string;
  /** Kills remaining processes and removes their files. */
  close(): Promise<void>;
}

/** The sandbox of audited programs. */
export interface TargetSandbox {
  /** Returns what this machine lacks for a sandbox, or an empty list. */
  lacks(): readonly string[];
  /**
   * Creates a sandbox for one opened target.
   *
   * @param home - Folder that becomes the home, with its content.
   * @param ports - Loopback ports that the target may reach.
   * @throws {AppError} `NOT_CONFIGURED` naming what the machine lacks, `OVERLOADED`, `INTERNAL`;
   *   `AUDIT_TARGET_DOWN` if the program does not exist.
   */
  open(command: AllowedCommand, home: string, ports: readonly number[]): Promise<SandboxedProgram>;
}

/**
 * Rejects an untrusted program on a machine without a sandbox.
 *
 * @throws {AppError} `NOT_CONFIGURED` naming what the machine lacks and how to run without a
 *   sandbox.
 */
export function requireSandbox(
  { name, isTrusted = false }: AllowedCommand,
  sandbox: Pick<TargetSandbox, 'lacks'>,
): void {
  if (isTrusted) return;
  const lacks = sandbox.lacks();
  if (lacks.length === 0) return;
  throw new AppError('NOT_CONFIGURED', {
    message:
      `The program "${name}" runs in a sandbox, and this machine lacks ${lacks.join(' and ')}. ` +
      'Run Stoa as root on Linux with these, or trust the program like your own: "trust": true ' +
      'in its STOA_AUDIT_COMMANDS entry, or `stoa serve --trust-target` for all programs. ' +
      'You are not charged.',
    data: { received: name, lacks, allowed: '--trust-target' },
  });
}

/**
 * Creates the sandbox of audited programs. Its users, groups and privileges work as for hosted
 * programs.
 *
 * @param owner - Owner of its user ids, such as a data directory, which programs never see.
 *   Leftovers of an earlier run of the same owner are stopped before the first program runs.
 */
export function createTargetSandbox(owner: string | undefined): TargetSandbox {
  const usedUids = new Set<number>();
  let lacks: readonly string[] | undefined;
  let opened: Promise<SandboxResources> | undefined;
  const findLacks = () => {
    lacks ??= detectMissingFeatures();
    return lacks;
  };
  return {
    lacks: findLacks,
    open: async (command, home, ports) => {
      requireSandbox(command, { lacks: findLacks });
      opened ??= prepareResources(owner);
      const { users, cgroups, confined } = await opened;
      const uid = allocateUser(users, usedUids);
      const name = groupName(users, uid);
      const end = async (): Promise<void> => {
        await killUserProcesses((each) => each === uid);
        cgroups.remove(name);
        usedUids.delete(uid);
      };
      try {
        const { command: program, readablePaths } = findProgramPaths(
          command,
          process.env['PATH'] ?? '',
        );
        const groups = cgroups.createGroup(name, LIMITS);
        const hidden = owner === undefined ? [] : [owner];
        const order = { uid, groups, confined, home, reads: readablePaths, hidden, ports };
        const programSandbox = await createProgramSandbox(order);
        return {
          argv: programSandbox.commandInside(
            [program, ...command.args],
            command.workingDirectory ?? home,
          ),
          path: `${dirname(program)}:${PATH_DEFAULT}`,
          close: async () => {
            await programSandbox.close();
            await end();
          },
        };
      } catch (thrown) {
        await end();
        throw thrown;
      }
    },
  };
}

interface SandboxResources {
  readonly users: UserRange;
  readonly cgroups: Cgroups;
  readonly confined: readonly string[];
}

async function prepareResources(owner: string | undefined): Promise<SandboxResources> {
  // Without an owner there was no earlier run, and nothing else has these users.
  const users = claimUsers(owner ?? join(tmpdir(), `stoa-audits-${randomUUID()}`));
  const cgroups = detectCgroups();
  await killUserProcesses((uid) => uid >= users.first && uid <= users.last);
  for (let at = 1; at <= SANDBOXES_MAX; at += 1) cgroups.remove(groupName(users, users.first + at));
  return { users, cgroups, confined: detectConfinement() };
}

function allocateUser({ first }: UserRange, taken: Set<number>): number {
  for (let uid = first + 1; uid <= first + SANDBOXES_MAX; uid += 1) {
    if (taken.has(uid)) continue;
    taken.add(uid);
    return uid;
  }
  const message = `${SANDBOXES_MAX} audited programs are already open. Retry later.`;
  throw new AppError('OVERLOADED', { message });
}

function groupName({ name }: UserRange, uid: number): string {
  return `stoa-audit-${name}-${uid}`;
}

/** Kills every process of these users and waits until none is left. */
async function killUserProcesses(isOne: (uid: number) => boolean): Promise<void> {
  for (let waited = 0; waited < KILL_MS; waited += POLL_MS) {
    const pids = await findProcesses(isOne);
    if (pids.length === 0) return;
    for (const pid of pids) killProcess(pid);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function findProcesses(isOne: (uid: number) => boolean): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = names
    .filter((name) => /^\d+$/.test(name))
    .map(async (name) => {
      // The folder's owner is unreliable: it is root for processes that are not dumpable.
      const text = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
      const [, uid] = /^Uid:\t(\d+)/m.exec(text) ?? [];
      return uid !== undefined && isOne(Number(uid)) ? [Number(name)] : [];
    });
  return (await Promise.all(found)).flat();
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}

/** Returns what this machine lacks, by trying each feature once. */
function detectMissingFeatures(): readonly string[] {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return ['root on Linux'];
  const namespaces = ['--mount', '--ipc', '--net', '--pid', '--fork', '--kill-child=SIGKILL'];
  const inside = ['setpriv', '--pdeathsig', 'KILL', 'nsenter', '--net=/proc/self/ns/net', 'true'];
  const checks = [
    {
      has: spawnSync('unshare', [...namespaces, ...inside]).status === 0,
      what: 'namespaces (unshare, setpriv, nsenter)',
    },
    { has: spawnSync('perl', ['-e', '1']).status === 0, what: 'perl' },
    { has: detectCgroups().kind !== 'none', what: 'kernel limits (cgroups)' },
  ];
  return checks.filter(({ has }) => !has).map(({ what }) => what);
}
