import { format } from 'node:util';
import type { EngineLog } from '../engine/core.ts';

/** Writes what a machine logs as a line on standard error; standard output is the program's. */
export function printLog({ actorId, label, value }: EngineLog): void {
  const parts = [actorId, label, value].filter((part) => part !== undefined);
  process.stderr.write(`${format(...parts)}\n`);
}
