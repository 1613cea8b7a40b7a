import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { stopHosting } from '../../../src/process/hosting/stop-hosting.ts';
import { getDownloadFolder } from '../../../src/providers/hosting/local/key-value/program.ts';
import { freshDataDir, type RealServer, startRealServer } from '../real-server.ts';
import { FETCHED_SERVER } from './fetched-server.ts';
import { nodeOf } from './other-user.ts';

/** A server in a process of its own that hosts on this machine; nothing of it stays behind. */
export interface HostingServer extends AsyncDisposable {
  readonly server: RealServer;
  /** Folder that repositories are taken from. */
  readonly sources: string;
  /** The operator's. */
  readonly token: string;
  /** Starts the server again, on the same data. */
  restart(): Promise<void>;
}

/** How a hosting server differs from the one of a test's own user that trusts its repositories. */
interface HostingServerOptions {
  readonly trusts?: boolean;
  /** The user that it runs as; it owns its data directory. */
  readonly uid?: number;
}

/**
 * Starts a server that hosts, on free ports. Programs are the test's own, so they are trusted,
 * unless the test is of what keeps them apart.
 */
export async function hostingServer(
  env: Readonly<Record<string, string>> = {},
  { trusts = true, uid }: HostingServerOptions = {},
): Promise<HostingServer> {
  const place = freshDataDir();
  const [dataDir, sources] = [join(place, 'data'), join(place, 'sources')];
  mkdirSync(sources);
  takeFetched(getDownloadFolder(join(dataDir, 'hosting', 'local')));
  chmodSync(sources, 0o755);
  const node = nodeOf(uid, place);
  if (uid !== undefined) execFileSync('chown', ['-R', '-h', `${uid}:${uid}`, '--', place]);
  const flags = ['--hosting', 'local', '--hosting-sources', sources, '--router-port', '0'];
  const start = () =>
    startRealServer(dataDir, [...flags, ...(trusts ? ['--trust-repositories'] : [])], env, node);
  let server = await start();
  return {
    get server() {
      return server;
    },
    sources,
    token: readFileSync(server.ready.token_file, 'utf8').trim(),
    restart: async () => {
      server = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await server.kill();
      await stopHosting(dataDir);
    },
  };
}

/** A server of Key Value that the set-up of the tests fetched is there for each. */
function takeFetched(place: string): void {
  if (!existsSync(FETCHED_SERVER)) return;
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  symlinkSync(FETCHED_SERVER, place);
}

/** Asks a service by its address, on this machine. */
export function askService(
  address: string,
  path = '/',
): Promise<{ readonly status: number; readonly text: string }> {
  const { host, port } = new URL(address);
  return new Promise((done, fail) => {
    const options = { host: '127.0.0.1', port, path, headers: { host }, agent: false };
    const asked = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => done({ status: answer.statusCode ?? 0, text }));
      answer.on('error', fail);
    });
    asked.on('error', fail).end();
  });
}
