import { readFileSync, readlinkSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import {
  type Endpoint,
  findListener,
  hasOtherLoopbackListener,
  isPortInUse,
  nextFreePort,
} from '../../system/ports.ts';

/** The address to listen on, and its flag on the command line. */
export interface WantedPort extends Endpoint {
  /** The flag that sets the port. Default: `--port`. */
  readonly flag?: string;
}

/** Names of this program on a command line. */
const PROGRAMS: readonly string[] = ['cli.js', 'cli.ts', 'stoa'];
/** The folder flag of each command, with its default. */
const FOLDERS: Readonly<Record<string, readonly [flag: string, fallback: string]>> = {
  serve: ['--data', './data'],
  router: ['--folder', '.'],
};

/**
 * Rejects a port that another process uses, before anything is opened. The server never picks
 * another port, because clients are configured for this one.
 *
 * @throws {AppError} `PORT_IN_USE` with the owner and the next free port.
 */
export async function rejectUsedPort(wanted: WantedPort): Promise<void> {
  if (wanted.port !== 0 && (await isPortInUse(wanted))) throw await portInUse(wanted);
}

/**
 * Listens as the only server on a port.
 *
 * @throws {AppError} as `listen`; `PORT_IN_USE` with the owner and the next free port.
 */
export async function listenExclusively<Listening extends { readonly port: number }>(
  wanted: WantedPort,
  listen: () => Promise<Listening>,
): Promise<Listening> {
  const listening = await listenOrNameOwner(wanted, listen);
  await rejectSharedPort({ ...wanted, port: listening.port });
  return listening;
}

/**
 * Listens, and adds the owner to the error if the port was taken in the meantime.
 *
 * @throws {AppError} as `listen`; `PORT_IN_USE` with the owner and the next free port.
 */
export async function listenOrNameOwner<Listening>(
  wanted: WantedPort,
  listen: () => Promise<Listening>,
): Promise<Listening> {
  try {
    return await listen();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'PORT_IN_USE') throw thrown;
    throw await portInUse(wanted);
  }
}

/**
 * Rejects a port that another server uses on the other loopback address, after this one listens. It
 * detects two servers that started at the same time.
 *
 * @throws {AppError} `PORT_IN_USE`
 */
export async function rejectSharedPort(listening: WantedPort): Promise<void> {
  if (await hasOtherLoopbackListener(listening)) throw await portInUse(listening);
}

async function portInUse(wanted: WantedPort): Promise<AppError> {
  const { host, port, flag = '--port' } = wanted;
  const free = await nextFreePort(wanted);
  const owner = findPortOwner(port);
  const alternatives = [...(free === undefined ? [] : [`${flag} ${free}`]), `${flag} 0`];
  const pass = alternatives.map((cure) => `\`${cure}\``).join(' or ');
  return new AppError('PORT_IN_USE', {
    message: `Port ${port} at ${host} is in use by ${owner.words}. Pass ${pass} (any free port).`,
    data: { host, port, ...owner.facts, ...(free === undefined ? {} : { free_port: free }) },
  });
}

interface PortOwner {
  readonly words: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * Describes who listens on a port. For other programs only the name is shown, as arguments may be
 * secret.
 */
function findPortOwner(port: number): PortOwner {
  const pid = findListener(port);
  if (pid === undefined) return { words: 'another process', facts: {} };
  const own = parseOwnCommand(pid);
  if (own !== undefined) {
    const { command, folder } = own;
    const what = command === 'serve' ? 'a Stoa server, data directory' : 'a Stoa router, folder';
    return { words: `${what} ${folder} (pid ${pid})`, facts: { pid, command, folder } };
  }
  const program = tryRead(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
  return {
    words: program === undefined ? `pid ${pid}` : `${program} (pid ${pid})`,
    facts: { pid, ...(program === undefined ? {} : { program }) },
  };
}

/** Parses the command line of a process of this program. */
function parseOwnCommand(pid: number): { command: string; folder: string } | undefined {
  const words = tryRead(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')) ?? [];
  const at = words.findIndex((word) => PROGRAMS.includes(basename(word)));
  const command = words[at + 1] ?? '';
  const [flag, fallback] = (at < 0 ? undefined : FOLDERS[command]) ?? [];
  if (flag === undefined || fallback === undefined) return undefined;
  const from = tryRead(() => readlinkSync(`/proc/${pid}/cwd`)) ?? '';
  const named = words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const apart = words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined;
  return { command, folder: resolve(from, named ?? apart ?? fallback) };
}

/** Returns `undefined` on an error: the process may have exited, or belong to another user. */
function tryRead<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
