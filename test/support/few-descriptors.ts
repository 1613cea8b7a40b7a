import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

/** Makes a program in `folder` that starts Node with so few descriptors. */
export function nodeWithDescriptors(folder: string, max: number): string {
  const path = join(folder, `node-${max}.sh`);
  writeFileSync(path, `#!/bin/sh\nulimit -n ${max}\nexec '${process.execPath}' "$@"\n`, {
    mode: 0o700,
  });
  return path;
}

/** Connections to a port of this machine that ask for nothing. */
export class Idle {
  readonly #sockets: Socket[] = [];
  #refused = 0;

  /** Opens more of them; resolves when each stands or was refused. */
  async open(port: number, count: number): Promise<void> {
    const opening = Array.from({ length: count }, () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.on('error', () => undefined);
      socket.resume();
      this.#sockets.push(socket);
      return new Promise<void>((done) => {
        socket.once('connect', () => done());
        socket.once('close', () => {
          this.#refused += 1;
          done();
        });
      });
    });
    await Promise.all(opening);
  }

  /** How many were ended by the server. */
  get refused(): number {
    return this.#refused;
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}

/** Asks for health over a connection of its own; the status, or nothing. */
export async function healthAt(port: number): Promise<number | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
  await answer?.text().catch(() => undefined);
  return answer?.status;
}
