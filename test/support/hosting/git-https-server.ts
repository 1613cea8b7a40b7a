import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A server of repositories over TLS on a loopback port. */
export interface GitHttpsServer extends AsyncDisposable {
  readonly port: number;
  /** `https://127.0.0.1:port/`. */
  readonly url: string;
  /** File of the authority that vouches for it. */
  readonly authorities: string;
  /** Requests that arrived, as `GET /path`. */
  readonly hits: string[];
}

/** Answers in the place of git; `false` leaves the request to git. */
type Answer = (asked: IncomingMessage, answer: ServerResponse) => boolean;

/** Git's own server behind TLS, for all repositories in a folder. `keys` takes key and authority. */
export async function gitHttpsServer(
  folder: string,
  keys: string,
  answer: Answer = () => false,
): Promise<GitHttpsServer> {
  const pair = makeCertificate(keys);
  const hits: string[] = [];
  const server = createServer(pair, (asked, answered) => {
    hits.push(`${asked.method} ${asked.url}`);
    if (!answer(asked, answered)) serveGit(folder, asked, answered);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}/`,
    authorities: join(keys, 'ca.pem'),
    hits,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** An authority of its own, and a certificate for 127.0.0.1 that it signed. */
function makeCertificate(keys: string): { readonly key: Buffer; readonly cert: Buffer } {
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: keys, stdio: 'pipe' });
  };
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'];
  openssl('req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test-ca');
  const host = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const signed = ['-addext', 'basicConstraints=critical,CA:FALSE', '-CA', 'ca.pem', '-CAkey'];
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
  openssl('req', '-x509', ...fresh, ...host, ...signed, 'ca.key', ...files);
  return {
    key: readFileSync(join(keys, 'key.pem')),
    cert: readFileSync(join(keys, 'cert.pem')),
  };
}

/** One request as CGI. */
function serveGit(folder: string, asked: IncomingMessage, answered: ServerResponse): void {
  const { pathname, search } = new URL(asked.url ?? '/', 'https://127.0.0.1');
  const child = spawn('/usr/lib/git-core/git-http-backend', {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: asked.method,
      CONTENT_TYPE: asked.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: asked.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(asked.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  asked.pipe(child.stdin);
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.on('close', () => {
    const whole = Buffer.concat(pieces);
    const at = whole.indexOf('\r\n\r\n');
    for (const line of whole.toString('latin1', 0, at).split('\r\n')) {
      const [name = '', value = ''] = line.split(/:\s*(.*)/s);
      if (name === 'Status') answered.statusCode = Number(value.slice(0, 3));
      else if (name !== '') answered.setHeader(name, value);
    }
    answered.end(whole.subarray(at + 4));
  });
}
