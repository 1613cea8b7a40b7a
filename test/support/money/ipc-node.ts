import { connect } from 'node:net';

/** One call of JSON-RPC, or several that travel together. */
export type Asked = RpcCall | readonly RpcCall[];

/** One call as it travels. */
export interface RpcCall {
  readonly id?: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node answers to one call. */
export type Reply = Readonly<Record<string, unknown>>;

/** A node on the same machine that is asked one request at a time. */
export interface IpcNode {
  /** Sends a request as it is. @returns A reply, or one for each call. */
  send(asked: Asked): Promise<Reply | readonly Reply[]>;
  /** @throws when the node refuses */
  call<Result>(method: string, ...params: readonly unknown[]): Promise<Result>;
  close(): void;
}

interface Waiting {
  readonly body: string;
  readonly done: (answer: Reply) => void;
  readonly failed: (cause: unknown) => void;
}

/**
 * Connects to a node by its socket, which takes a tenth of the time of HTTP. The next request is
 * sent when the one before it is answered: a node must not make a block while it replaces one.
 */
export async function ipcNode(path: string): Promise<IpcNode> {
  const socket = connect(path).setEncoding('utf8');
  await new Promise<void>((connected, failed) => {
    socket.once('connect', connected).once('error', failed);
  });
  const waiting: Waiting[] = [];
  let text = '';
  const next = () => void (waiting[0] !== undefined && socket.write(waiting[0].body));
  socket.on('data', (piece: string) => {
    text += piece;
    const answer = readWhole(text);
    if (answer === undefined) return;
    text = '';
    waiting.shift()?.done(answer);
    next();
  });
  const fail = (cause: unknown) => {
    for (const each of waiting.splice(0)) each.failed(cause);
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the node is gone')));
  const send = (asked: Asked) =>
    new Promise<Reply>((done, failed) => {
      waiting.push({ body: JSON.stringify(written(asked)), done, failed });
      if (waiting.length === 1) next();
    });
  return {
    send,
    call: async <Result>(method: string, ...params: readonly unknown[]) => {
      const { result, error } = await send({ id: 1, method, params });
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result as Result;
    },
    close: () => socket.destroy(),
  };
}

function written(asked: Asked): unknown {
  return 'method' in asked
    ? { jsonrpc: '2.0', ...asked }
    : asked.map((call) => ({ jsonrpc: '2.0', ...call }));
}

/** Reads an answer, once all of it is there. */
function readWhole(text: string): Reply | undefined {
  if (!/[}\]]\s*$/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Reply;
  } catch {
    return undefined;
  }
}
