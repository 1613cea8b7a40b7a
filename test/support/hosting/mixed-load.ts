import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

const PIECES = 8;
const PIECE_MS = 40;
const WORDS = 3;
const PAUSE_MS = 20;
const BODY = 'a body that comes in pieces';

/** What came of a load. */
export interface LoadSum {
  /** What went wrong, one line each. */
  readonly failed: readonly string[];
  /** What the service called itself. */
  readonly versions: ReadonlySet<string>;
  /** Answers by what was asked: `GET`, `POST`, `slow`, `stream`, `slow body`, `WebSocket`. */
  readonly answered: Readonly<Record<string, number>>;
}

/**
 * Asks a service all the time: over connections that are kept and over new ones, with bodies, for
 * slow answers and for streams, with bodies that come slowly, and over WebSockets.
 */
export function mixedLoad(url: string): { readonly end: () => Promise<LoadSum> } {
  const kept = new Agent({ keepAlive: true });
  const fresh = new Agent({ keepAlive: false });
  const failed: string[] = [];
  const versions = new Set<string>();
  const answered: Record<string, number> = {};
  let isOver = false;
  const run = async (kind: string, ask: () => Promise<string>): Promise<void> => {
    while (!isOver) {
      const said = await ask().catch((error: Error) => {
        failed.push(`${kind}: ${error.message}`);
      });
      if (said !== undefined) versions.add(said);
      answered[kind] = (answered[kind] ?? 0) + 1;
      await sleep(PAUSE_MS);
    }
  };
  const running = [
    ...[kept, fresh].flatMap((agent) => [
      run('GET', () => whole(url, { agent })),
      run('POST', () => whole(url, { agent, body: [BODY] })),
      run('slow', () => whole(url, { agent, path: '/slow' })),
      run('stream', () => whole(url, { agent, path: '/stream' })),
      run('slow body', () => whole(url, { agent, body: BODY.split('') })),
    ]),
    run('WebSocket', () => talk(url)),
  ];
  return {
    end: async () => {
      isOver = true;
      await Promise.all(running);
      for (const agent of [kept, fresh]) agent.destroy();
      return { failed, versions, answered };
    },
  };
}

interface Asked {
  readonly agent: Agent;
  readonly path?: string;
  /** Pieces, with a pause between them. */
  readonly body?: readonly string[];
}

/** One request; what the service calls itself, once its answer is whole. */
async function whole(url: string, { agent, path = '/', body = [] }: Asked): Promise<string> {
  const { host, port } = new URL(url);
  const method = body.length === 0 ? 'GET' : 'POST';
  const asked = request({ host: '127.0.0.1', port, path, method, agent, headers: { host } });
  const heard = new Promise<string>((done, fail) => {
    asked.on('error', fail).on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('error', fail).on('end', () => {
        const bytes = String(answer.headers['x-bytes']);
        const isRight = answer.statusCode === 200 && bytes === String(body.join('').length);
        if (isRight) done(text);
        else fail(new Error(`${answer.statusCode}, ${bytes} bytes, ${text.slice(0, 80)}`));
      });
    });
  });
  // A failure before the body is out is told below.
  heard.catch(() => undefined);
  for (const [at, piece] of body.entries()) {
    if (at > 0) await sleep(PAUSE_MS);
    asked.write(piece);
  }
  asked.end();
  const said = (await heard).split('\n').filter((line) => line !== '');
  const wanted = path === '/stream' ? PIECES : 1;
  const [name = ''] = said;
  if (said.length !== wanted || said.some((line) => line !== name)) {
    throw new Error(`${said.length} of ${wanted} pieces: ${said.join(' ').slice(0, 80)}`);
  }
  return name;
}

/** A talk over a WebSocket: each word comes back, then the client ends it. */
function talk(url: string): Promise<string> {
  const { host, port } = new URL(url);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host } });
  let said = 0;
  let name = '';
  return new Promise((done, fail) => {
    const say = (): void => socket.send(`word ${said}`);
    socket.on('error', fail).on('open', say);
    socket.on('message', (data: Buffer) => {
      const heard = data.toString();
      const [by = '', word] = heard.split('\n');
      if (word !== `word ${said}`) fail(new Error(`it said ${heard.slice(0, 80)}`));
      name = by;
      said += 1;
      setTimeout(said === WORDS ? () => socket.close() : say, PIECE_MS);
    });
    socket.on('close', (code) =>
      said === WORDS ? done(name) : fail(new Error(`closed with ${code} after ${said} words`)),
    );
  });
}

/** A program that takes every request of the load, and calls itself so. */
export function mixedProgram(name: string): string {
  return `import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
const name = ${JSON.stringify(name)};
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
createServer(async (asked, answer) => {
  let bytes = 0;
  for await (const piece of asked) bytes += piece.length;
  await wait(asked.url === '/slow' ? 400 : 30);
  answer.setHeader('x-bytes', bytes);
  for (let piece = 1; asked.url === '/stream' && piece < ${PIECES}; piece += 1) {
    answer.write(name + '\\n');
    await wait(${PIECE_MS});
  }
  answer.end(name);
}).on('upgrade', (asked, socket) => {
  const key = asked.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
  socket.on('error', () => socket.destroy());
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n'
    + 'Sec-WebSocket-Accept: ' + createHash('sha1').update(key).digest('base64') + '\\r\\n\\r\\n');
  socket.on('data', (frame) => {
    const mask = frame.subarray(2, 6);
    const said = frame.subarray(6).map((byte, at) => byte ^ mask[at % 4]);
    const isEnd = (frame[0] & 15) === 8;
    const back = isEnd ? said : Buffer.concat([Buffer.from(name + '\\n'), said]);
    socket.write(Buffer.concat([Buffer.from([frame[0], back.length]), back]));
    if (isEnd) socket.end();
  });
}).listen(process.env.PORT, '127.0.0.1');
`;
}
