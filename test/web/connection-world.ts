import type { ClientMessage } from '../../src/domain/inspect/message.ts';
import type { HelloFrame, ServerMessage } from '../../src/domain/inspect/wire.ts';
import { Connection } from '../../web/src/connection/connection.ts';
import type { Admission, ConnectionEnvironment, Socket } from '../../web/src/connection/socket.ts';

/** A socket whose other end is the test. */
export class PlayedSocket implements Socket {
  onopen: Socket['onopen'] = null;
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  readonly sent: ClientMessage[] = [];
  isClosed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.isClosed = true;
  }

  /** The server says something. */
  say(message: ServerMessage): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  /** The newest message of one operation. */
  last<Op extends ClientMessage['op']>(op: Op): Extract<ClientMessage, { op: Op }> {
    const found = this.sent.findLast((message) => message.op === op);
    if (found === undefined) throw new Error(`no ${op} was sent`);
    return found as Extract<ClientMessage, { op: Op }>;
  }
}

/** A connection in a world that the test plays: sockets, time and chance. */
export class ConnectionWorld {
  readonly sockets: PlayedSocket[] = [];
  readonly connection: Connection;
  admission: Admission = 'yes';
  chance = 1;
  #now = 1_000_000;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  constructor() {
    const outside: ConnectionEnvironment = {
      open: () => {
        const socket = new PlayedSocket();
        this.sockets.push(socket);
        return socket;
      },
      checkAdmission: async () => this.admission,
      now: () => this.#now,
      random: () => this.chance,
      schedule: (delayMs, run) => {
        const timer = { at: this.#now + delayMs, run };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
    };
    this.connection = new Connection(outside);
  }

  /** The socket that was opened last. */
  get socket(): PlayedSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  }

  /** Lets the newest socket open. */
  open(): PlayedSocket {
    const { socket } = this;
    socket.onopen?.();
    return socket;
  }

  /** Breaks the newest socket and lets the connection find out why. */
  async breakOff(): Promise<void> {
    this.socket.onclose?.({ code: 1006, reason: '' });
    await settled();
  }

  /** Lets time pass; what is due runs in its order. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = next.at;
      next.run();
      await settled();
    }
    this.#now = end;
  }
}

/** A hello as a server says it. */
export const HELLO: HelloFrame = {
  topic: 'hello',
  version: '0.1.0',
  now: 5,
  epoch: 'first',
  actions: [],
  developmentKinds: [],
};

/** Waits until answers that are there have been taken. */
export function settled(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
