import type { ChildProcess } from 'node:child_process';
import { connect, type Server } from 'node:net';
import { AppError } from '../../domain/common/error.ts';
import { spawn } from '../../system/child.ts';
import { PATH_DEFAULT } from './find-program.ts';
import { dropPrivileges } from './privileges.ts';
import { CREATE_SCRIPT, ENTER_SCRIPT, HOLDER_SCRIPT, LOOPBACK_SCRIPT } from './sandbox-scripts.ts';

/** Time limit to create a sandbox, in milliseconds. */
const START_TIMEOUT_MS = 30_000;
/** Most concurrent connections from one sandbox to ports of this machine. */
const RELAY_CONNECTIONS_MAX = 64;
/** Characters of an error message that are kept. */
const ERROR_CHARS_MAX = 1_000;

/** The configuration of a sandbox. */
export interface ProgramSandboxOrder {
  /** The user that its programs run as. No other process on this machine has it. */
  readonly uid: number;
  /** Files to which a process writes its id to join its groups. */
  readonly groups: readonly string[];
  /** Program and arguments in front of each program. See `detectConfinement`. */
  readonly confined: readonly string[];
  /**
   * A folder that is copied into the sandbox under its own path, for its user only. Changes to it
   * are deleted with the sandbox.
   */
  readonly home: string;
  /** Absolute paths that are mounted read-only. */
  readonly reads: readonly string[];
  /** Folders that appear empty, even inside `reads`. */
  readonly hidden: readonly string[];
  /** Loopback ports of this machine that programs reach under the same numbers; nothing else. */
  readonly ports: readonly number[];
}

/** A sandbox with its own view of the file system and its own network. */
export interface ProgramSandbox {
  /**
   * Returns the command that runs another program inside, in its own process tree. The tree ends
   * with the program, with the process that the command started, and with this process.
   */
  commandInside(argv: readonly string[], workingDirectory: string): readonly string[];
  /** Releases the sandbox. Its files are deleted when its last program ends. */
  close(): Promise<void>;
}

/**
 * Creates a sandbox that has the machine's own programs and what the order names. It has no other
 * files, no other processes, and no network except the given ports. This process must be root.
 *
 * @throws {AppError} `INTERNAL` with the error of the system.
 */
export async function createProgramSandbox(order: ProgramSandboxOrder): Promise<ProgramSandbox> {
  const { uid, home, reads, hidden, ports } = order;
  const lists = [...reads, '--', ...hidden, '--'];
  const holderCommand = [process.execPath, '-e', HOLDER_SCRIPT, ...ports.map(String)];
  const view = [
    '-c',
    CREATE_SCRIPT,
    'stoa',
    home,
    String(uid),
    LOOPBACK_SCRIPT,
    ...lists,
    ...holderCommand,
  ];
  const holder = spawn('unshare', ['--mount', '--net', '--', '/bin/sh', ...view], {
    cwd: '/',
    env: { PATH: PATH_DEFAULT },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    holder.once('exit', () => resolve());
    holder.once('error', () => resolve());
  });
  const relayServers: Server[] = [];
  const close = async (): Promise<void> => {
    for (const door of relayServers) door.close();
    holder.kill('SIGKILL');
    await exited;
  };
  try {
    await waitUntilReady(holder, exited, (door, port) => {
      relayPort(door, port);
      relayServers.push(door);
    });
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return {
    close,
    commandInside: (argv, folder) => buildCommand(order, holder.pid ?? 0, [folder, ...argv]),
  };
}

function buildCommand(
  { uid, groups, confined }: ProgramSandboxOrder,
  holder: number,
  inside: readonly string[],
): readonly string[] {
  const [mounts, network] = ['mnt', 'net'].map((kind) => `/proc/${holder}/ns/${kind}`);
  return [
    // When this process exits, the kernel kills its child and with it the whole process tree.
    ...['setpriv', '--pdeathsig', 'KILL', 'nsenter', `--mount=${mounts}`, `--net=${network}`],
    ...['unshare', '--mount', '--ipc', '--pid', '--fork', '--kill-child=SIGKILL', '--'],
    ...['/bin/sh', '-c', ENTER_SCRIPT, 'stoa', groups.join(':'), ...dropPrivileges(uid, confined)],
    ...['/bin/sh', '-c', 'cd "$1" || exit 126; shift; exec "$@"', 'stoa', ...inside],
  ];
}

function waitUntilReady(
  holder: ChildProcess,
  exited: Promise<void>,
  onDoor: (door: Server, port: number) => void,
): Promise<void> {
  let errorText = '';
  holder.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    if (errorText.length < ERROR_CHARS_MAX) errorText += piece.slice(0, ERROR_CHARS_MAX);
  });
  const failed = (why: string): AppError =>
    new AppError('INTERNAL', {
      message: 'The sandbox for the audited program could not be created.',
      data: { reason: errorText.trim() === '' ? why : errorText.trim() },
    });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(failed('it took too long')), START_TIMEOUT_MS);
    holder.once('error', (cause) => reject(failed(cause.message)));
    void exited.then(() => reject(failed('it exited')));
    holder.on('message', (message: number | 'ready', door?: unknown) => {
      if (typeof message === 'number') onDoor(door as Server, message);
      if (message !== 'ready') return;
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Relays connections from the sandbox to the same port of this machine. */
function relayPort(door: Server, port: number): void {
  door.maxConnections = RELAY_CONNECTIONS_MAX;
  door.on('connection', (inner) => {
    const outer = connect(port, '127.0.0.1');
    inner.on('error', () => outer.destroy()).on('close', () => outer.destroy());
    outer.on('error', () => inner.destroy()).on('close', () => inner.destroy());
    inner.pipe(outer).pipe(inner);
  });
}
