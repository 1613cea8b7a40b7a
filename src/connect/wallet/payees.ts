import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Payee of each server: recorded at the first payment and pinned from then on. */
export interface Payees {
  /** Returns the recorded payee of a server. */
  find(server: string, network: string): string | undefined;
  /**
   * Records the first payee of a server. Of two concurrent writers, the first wins.
   *
   * @returns The recorded payee.
   */
  recordFirst(server: string, network: string, payTo: string): string;
  /** Replaces the payee after a person approved it. */
  replace(server: string, network: string, payTo: string): void;
}

const PayeeFile = z.object({ server: z.string(), network: z.string(), payTo: z.string() });

/** Opens the payees of a folder: one small file per server and network. */
export function openPayees(folder: string): Payees {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = (server: string, network: string): string => {
    const name = createHash('sha256').update(`${server} ${network}`).digest('hex').slice(0, 32);
    return join(folder, `${name}.json`);
  };
  const known = (server: string, network: string): string | undefined => {
    try {
      return PayeeFile.parse(JSON.parse(readFileSync(path(server, network), 'utf8'))).payTo;
    } catch {
      return undefined;
    }
  };
  const replace = (server: string, network: string, payTo: string): void => {
    const at = path(server, network);
    const fresh = `${at}.${randomBytes(8).toString('hex')}`;
    const text = `${JSON.stringify({ server, network, payTo })}\n`;
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(fresh, at);
  };
  return {
    find: known,
    replace,
    recordFirst: (server, network, payTo) => {
      const text = `${JSON.stringify({ server, network, payTo })}\n`;
      try {
        writeFileSync(path(server, network), text, { mode: 0o600, flag: 'wx', flush: true });
      } catch {
        const first = known(server, network);
        if (first !== undefined) return first;
        // The file was torn by a crash before any payment, so it is safe to replace.
        replace(server, network, payTo);
      }
      return payTo;
    },
  };
}
