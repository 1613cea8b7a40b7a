import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Who is paid by which server: noted at the first payment, and constant from then on. */
export interface Payees {
  /** The address that this server was paid at before. */
  known(server: string, network: string): string | undefined;
  /**
   * Notes the first payee of a server. Of two at once, the first wins.
   *
   * @returns The one that holds.
   */
  note(server: string, network: string, payTo: string): string;
  /** Replaces the payee, after a person has agreed. */
  replace(server: string, network: string, payTo: string): void;
}

const Note = z.object({ server: z.string(), network: z.string(), payTo: z.string() });

/** Opens the notes of a folder; one small file for each server. */
export function openPayees(folder: string): Payees {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = (server: string, network: string): string => {
    const name = createHash('sha256').update(`${server} ${network}`).digest('hex').slice(0, 32);
    return join(folder, `${name}.json`);
  };
  const known = (server: string, network: string): string | undefined => {
    try {
      return Note.parse(JSON.parse(readFileSync(path(server, network), 'utf8'))).payTo;
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
    known,
    replace,
    note: (server, network, payTo) => {
      const text = `${JSON.stringify({ server, network, payTo })}\n`;
      try {
        writeFileSync(path(server, network), text, { mode: 0o600, flag: 'wx', flush: true });
      } catch {
        const first = known(server, network);
        if (first !== undefined) return first;
        // It was torn by a crash: nobody was paid by it.
        replace(server, network, payTo);
      }
      return payTo;
    },
  };
}
