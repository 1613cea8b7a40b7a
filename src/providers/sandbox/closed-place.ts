import type { ChildProcess } from 'node:child_process';
import { connect, type Server } from 'node:net';
import { AppError } from '../../domain/common/error.ts';
import { spawn } from '../../system/child.ts';
import { CLOSED_VIEW, ENTER, HOLDER, LOOPBACK_UP } from './closed-view.ts';
import { PATH_DEFAULT } from './find-program.ts';
import { dropPrivileges } from './privileges.ts';

/** Time to make a place, in milliseconds. */
const OPEN_MS = 30_000;
/** Connections to the ports of this machine that one place has at once. */
const RELAYED_MAX = 64;
/** Characters of what went wrong that are kept. */
const SAID_CHARS_MAX = 1_000;

/** What a place is made from. */
export interface PlaceOrder {
  /** The user that programs run as; nobody else on this machine. */
  readonly uid: number;
  /** Files that a process writes its id to, to be in its groups. */
  readonly groups: readonly string[];
  /** Program and arguments in front of each program; see `confining`. */
  readonly confined: readonly string[];
  /**
   * A folder that is copied into the place under its own path, for the user alone. What programs
   * write there goes with the place.
   */
  readonly home: string;
  /** Absolute paths that are seen as they are, and never written to. */
  readonly reads: readonly string[];
  /** Folders that stay empty, also inside of `reads`. */
  readonly hidden: readonly string[];
  /** Ports of this machine's loopback that programs reach under the same numbers; nothing else. */
  readonly ports: readonly number[];
}

/** A view of the disk and a network of its own, in which programs run. */
export interface ClosedPlace {
  /**
   * Program and arguments that run another program inside, in a tree of processes of its own: all
   * of it ends with the program, with what was started by these arguments, and with this process.
   */
  enter(argv: readonly string[], workingDirectory: string): readonly string[];
  /** Releases it: what was written inside is deleted when its last program ends. */
  close(): Promise<void>;
}

/**
 * Makes a place that has the machine's own programs, what is named in the order, and nothing else:
 * no other file, no other process, no network but the named ports. The process must be root.
 *
 * @throws {AppError} `INTERNAL` with what the machine said.
 */
export async function openClosedPlace(order: PlaceOrder): Promise<ClosedPlace> {
  const { uid, home, reads, hidden, ports } = order;
  const lists = [...reads, '--', ...hidden, '--'];
  const held = [process.execPath, '-e', HOLDER, ...ports.map(String)];
  const view = ['-c', CLOSED_VIEW, 'stoa', home, String(uid), LOOPBACK_UP, ...lists, ...held];
  const holder = spawn('unshare', ['--mount', '--net', '--', '/bin/sh', ...view], {
    cwd: '/',
    env: { PATH: PATH_DEFAULT },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    holder.once('exit', () => resolve());
    holder.once('error', () => resolve());
  });
  const doors: Server[] = [];
  const close = async (): Promise<void> => {
    for (const door of doors) door.close();
    holder.kill('SIGKILL');
    await exited;
  };
  try {
    await untilReady(holder, exited, (door, port) => {
      relay(door, port);
      doors.push(door);
    });
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { close, enter: (argv, folder) => entering(order, holder.pid ?? 0, [folder, ...argv]) };
}

function entering(
  { uid, groups, confined }: PlaceOrder,
  holder: number,
  inside: readonly string[],
): readonly string[] {
  const [mounts, network] = ['mnt', 'net'].map((kind) => `/proc/${holder}/ns/${kind}`);
  return [
    // When this process dies, the kernel kills its child, and with that the whole process tree.
    ...['setpriv', '--pdeathsig', 'KILL', 'nsenter', `--mount=${mounts}`, `--net=${network}`],
    ...['unshare', '--mount', '--ipc', '--pid', '--fork', '--kill-child=SIGKILL', '--'],
    ...['/bin/sh', '-c', ENTER, 'stoa', groups.join(':'), ...dropPrivileges(uid, confined)],
    ...['/bin/sh', '-c', 'cd "$1" || exit 126; shift; exec "$@"', 'stoa', ...inside],
  ];
}

function untilReady(
  holder: ChildProcess,
  exited: Promise<void>,
  onDoor: (door: Server, port: number) => void,
): Promise<void> {
  let said = '';
  holder.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    if (said.length < SAID_CHARS_MAX) said += piece.slice(0, SAID_CHARS_MAX);
  });
  const failed = (why: string): AppError =>
    new AppError('INTERNAL', {
      message: 'The sandbox of an audited program could not be made.',
      data: { reason: said.trim() === '' ? why : said.trim() },
    });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(failed('it took too long')), OPEN_MS);
    holder.once('error', (cause) => reject(failed(cause.message)));
    void exited.then(() => reject(failed('it ended')));
    holder.on('message', (message: number | 'ready', door?: unknown) => {
      if (typeof message === 'number') onDoor(door as Server, message);
      if (message !== 'ready') return;
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Leads who connects inside to the same port of this machine. */
function relay(door: Server, port: number): void {
  door.maxConnections = RELAYED_MAX;
  door.on('connection', (inner) => {
    const outer = connect(port, '127.0.0.1');
    inner.on('error', () => outer.destroy()).on('close', () => outer.destroy());
    outer.on('error', () => inner.destroy()).on('close', () => inner.destroy());
    inner.pipe(outer).pipe(inner);
  });
}
