import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../../../../domain/common/error.ts';
import { MINUTE_MS } from '../../../../domain/common/time.ts';
import { execFile } from '../../../../system/child.ts';
import { SERVER_NAMES } from './program.ts';

const run = promisify(execFile);
/** Timeout of one step, in milliseconds. */
const STEP_MS = 10 * MINUTE_MS;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const NO_EXTRAS = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
  (kind) => `--no-${kind}`,
);
/** The C library must match the machine's loader. */
const MACHINE_LIBRARY = /^libc6\b/;
const PACKAGES_MAX = 50;
const OUTPUT_CHARS_MAX = 500;

type Apt = (program: 'apt-get' | 'apt-cache', ...words: readonly string[]) => Promise<string>;

/**
 * Downloads a server program from Debian packages and unpacks it with its libraries into a folder.
 * Nothing is installed, and root is not required.
 *
 * @param folder - Replaced as a whole once everything is complete.
 * @returns The name of the server package.
 * @throws {AppError} `NOT_CONFIGURED` if the machine has no such packages or cannot download them.
 */
export async function downloadServer(folder: string): Promise<string> {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const work = mkdtempSync(`${folder}.new-`);
  const [files, tree] = [join(work, 'packages'), join(work, 'tree')];
  for (const place of [files, tree]) mkdirSync(place);
  try {
    const { apt, name } = await prepareApt(work, files);
    await apt('apt-get', 'download', ...(await listDependencies(apt, name)));
    for (const file of readdirSync(files)) {
      await runStep('dpkg-deb', ['-x', join(files, file), tree], files);
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(tree, folder);
    return name;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Uses the machine's package lists; if they contain no server, downloads separate lists. */
async function prepareApt(
  work: string,
  files: string,
): Promise<{ readonly apt: Apt; readonly name: string }> {
  const machineApt = createApt(files, []);
  const known = await findDownloadable(machineApt);
  if (known !== undefined) return { apt: machineApt, name: known };
  const [lists, cache] = [join(work, 'lists'), join(work, 'cache')];
  for (const place of [lists, cache]) mkdirSync(join(place, 'partial'), { recursive: true });
  const apt = createApt(files, [`Dir::State::Lists=${lists}`, `Dir::Cache=${cache}`]);
  await apt('apt-get', 'update');
  const name = await findDownloadable(apt);
  if (name !== undefined) return { apt, name };
  throw new AppError('NOT_CONFIGURED', {
    message: `No package source of this machine has ${SERVER_NAMES.join(' or ')}.`,
  });
}

/** Creates a function that runs apt with settings, in the download folder. */
function createApt(files: string, settings: readonly string[]): Apt {
  // Without root, apt cannot switch to its user; with root, that user cannot access this folder.
  const options = [...settings, 'APT::Sandbox::User=root'].flatMap((each) => ['-o', each]);
  return (program, ...words) => runStep(program, [...options, ...words], files);
}

/** Returns the first server that can be downloaded; one that is only installed has no source. */
async function findDownloadable(apt: Apt): Promise<string | undefined> {
  for (const name of SERVER_NAMES) {
    const uris = await apt('apt-get', '--print-uris', 'download', name).catch(() => '');
    if (uris.includes('.deb')) return name;
  }
  return undefined;
}

/** Returns a server's package, its tools, and all libraries they need. */
async function listDependencies(apt: Apt, server: string): Promise<readonly string[]> {
  const tools = server.replace('server', 'tools');
  const found = new Set([server, tools]);
  for (let next = [...found]; next.length > 0 && found.size < PACKAGES_MAX; ) {
    const output = await apt('apt-cache', 'depends', ...NO_EXTRAS, ...next);
    next = parseLibraries(output).filter((name) => !found.has(name));
    for (const name of next) found.add(name);
  }
  return [...found];
}

/** Returns the libraries among the dependencies; the first one of alternatives (`|`). */
function parseLibraries(said: string): readonly string[] {
  const lines = said.split('\n');
  const names = lines.flatMap((line, at) => {
    const [, name = ''] = /^ [ |](?:Pre)?Depends: (lib[^ ]+)$/.exec(line) ?? [];
    const isSecond = lines[at - 1]?.startsWith(' |') === true;
    return name === '' || isSecond || MACHINE_LIBRARY.test(name) ? [] : [name];
  });
  return [...new Set(names)];
}

async function runStep(program: string, words: readonly string[], cwd: string): Promise<string> {
  try {
    const env = { ...process.env, LC_ALL: 'C' };
    const options = { cwd, env, timeout: STEP_MS, maxBuffer: OUTPUT_BYTES_MAX };
    return (await run(program, words, options)).stdout;
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    const message = `${program} failed: ${said.slice(0, OUTPUT_CHARS_MAX)}`;
    throw new AppError('NOT_CONFIGURED', { message, cause });
  }
}
