import { connect } from 'node:net';

/** What a raw exchange brought: everything received until the end or the quiet. */
export interface RawAnswer {
  readonly text: string;
  readonly statuses: readonly number[];
  readonly isClosed: boolean;
}

/** Sends bytes as they are and gathers what comes back until the peer closes or is quiet. */
export function sendRaw(port: number, parts: readonly string[], quietMs = 250): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let timer: NodeJS.Timeout | undefined;
    const finish = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
      resolve({ text, statuses, isClosed });
    };
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => finish(false), quietMs);
    };
    socket.on('connect', () => {
      let at = 0;
      const next = (): void => {
        const part = parts[at];
        at += 1;
        if (part === undefined || socket.destroyed) return;
        socket.write(part, 'latin1');
        setTimeout(next, 15);
      };
      next();
      wait();
    });
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      wait();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => finish(true));
  });
}
