import { connect } from 'node:net';

/** What a server of the Redis protocol answers. */
export type Reply = string | number | null | readonly Reply[];

/** A connection that asks one thing after the other. */
export interface RespClient {
  /** Rejects with the server's own words when it refuses. */
  ask(...words: readonly (string | number)[]): Promise<Reply>;
  close(): void;
}

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (fault: Error) => void;
}

type Parsed = { readonly value: Reply | Error; readonly next: number } | undefined;

/** Connects with the user and the password of a `redis:` address. */
export async function respClient(address: string): Promise<RespClient> {
  const { hostname, port, username, password } = new URL(address);
  const client = open(hostname, Number(port));
  if (password !== '') {
    await client.ask('AUTH', username, decodeURIComponent(password)).catch((fault: unknown) => {
      client.close();
      throw fault;
    });
  }
  return client;
}

/** Connects, asks one thing and closes. */
export async function askOnce(address: string, ...words: readonly string[]): Promise<Reply> {
  const client = await respClient(address);
  try {
    return await client.ask(...words);
  } finally {
    client.close();
  }
}

function open(host: string, port: number): RespClient {
  const waiting: Waiting[] = [];
  let bytes: Buffer = Buffer.alloc(0);
  let fault: Error | undefined;
  const socket = connect({ host, port });
  const fail = (cause: Error): void => {
    fault ??= cause;
    for (const { reject } of waiting.splice(0)) reject(fault);
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection was closed')));
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let parsed = parse(bytes, 0); parsed !== undefined; parsed = parse(bytes, 0)) {
      bytes = bytes.subarray(parsed.next);
      const first = waiting.shift();
      if (parsed.value instanceof Error) first?.reject(parsed.value);
      else first?.resolve(parsed.value);
    }
  });
  return {
    ask: (...words) =>
      new Promise((resolve, reject) => {
        if (fault !== undefined) {
          reject(fault);
          return;
        }
        waiting.push({ resolve, reject });
        const parts = words.map((word) => `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`);
        socket.write(`*${words.length}\r\n${parts.join('')}`);
      }),
    close: () => socket.destroy(),
  };
}

/** One reply from a place on; `undefined` while it is not whole. */
function parse(bytes: Buffer, from: number): Parsed {
  const end = bytes.indexOf('\r\n', from);
  if (end === -1) return undefined;
  const kind = String.fromCharCode(bytes[from] ?? 0);
  const line = bytes.toString('utf8', from + 1, end);
  const next = end + 2;
  if (kind === '+') return { value: line, next };
  if (kind === '-') return { value: new Error(line), next };
  if (kind === ':') return { value: Number(line), next };
  const length = Number(line);
  if (length === -1) return { value: null, next };
  if (kind === '$') {
    if (bytes.length < next + length + 2) return undefined;
    return { value: bytes.toString('utf8', next, next + length), next: next + length + 2 };
  }
  return parseAll(bytes, { length, next });
}

function parseAll(bytes: Buffer, o: { readonly length: number; readonly next: number }): Parsed {
  const values: Reply[] = [];
  let { next } = o;
  for (let at = 0; at < o.length; at += 1) {
    const parsed = parse(bytes, next);
    if (parsed === undefined) return undefined;
    if (!(parsed.value instanceof Error)) values.push(parsed.value);
    next = parsed.next;
  }
  return { value: values, next };
}
