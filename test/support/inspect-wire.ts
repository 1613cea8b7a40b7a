import { once } from 'node:events';
import WebSocket from 'ws';
import type { Action } from '../../src/domain/inspect/message.ts';
import type { HelloFrame, ServerMessage, WireReply } from '../../src/domain/inspect/wire.ts';

/** How long an answer may take, in milliseconds: a hang guard. */
const HANG_MS = 60_000;

/** A program of the operator at `/inspect`. */
export interface InspectWire {
  /** What the server says first. */
  readonly hello: Promise<HelloFrame>;
  /** Does one action; throws what the server refuses, its code in front. */
  act(action: Action): Promise<unknown>;
  /** Asks for an action, and is gone before the answer comes. */
  actAndGo(action: Action): Promise<void>;
  /** False once either side has closed it: a server does after a long time without a word. */
  isOpen(): boolean;
  close(): void;
}

/** Connects to a server with the operator's token. */
export async function openInspectWire(baseUrl: string, token: string): Promise<InspectWire> {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/inspect`, { headers });
  const waiting = new Map<number, (answer: WireReply) => void>();
  let greet: (hello: HelloFrame) => void = () => undefined;
  const hello = new Promise<HelloFrame>((done) => {
    greet = done;
  });
  socket.on('message', (data) => {
    const message = JSON.parse((data as Buffer).toString('utf8')) as ServerMessage;
    if ('sub' in message && message.kind === 'frame' && message.frame.topic === 'hello') {
      greet(message.frame);
    }
    if ('id' in message) waiting.get(message.id)?.(message);
  });
  await once(socket, 'open', { signal: AbortSignal.timeout(HANG_MS) });
  socket.on('error', () => socket.terminate());
  let id = 0;
  const send = (action: Action): Promise<number> => {
    id += 1;
    const text = JSON.stringify({ id, op: 'act', action, confirmed: true });
    const sent = id;
    return new Promise((done, fail) => {
      socket.send(text, (error) => (error ? fail(error) : done(sent)));
    });
  };
  return {
    hello,
    act: async (action) => {
      const answered = new Promise<WireReply>((done, fail) => {
        waiting.set(id + 1, done);
        setTimeout(() => fail(new Error(`no answer to ${action.name}`)), HANG_MS).unref();
        socket.once('close', () => fail(new Error('the socket was closed')));
      });
      await send(action);
      const answer = await answered;
      if (answer.ok) return answer.result;
      throw new Error(`${answer.error.code}: ${answer.error.message}`);
    },
    actAndGo: async (action) => {
      await send(action);
      socket.terminate();
    },
    isOpen: () => socket.readyState === WebSocket.OPEN,
    close: () => socket.terminate(),
  };
}
