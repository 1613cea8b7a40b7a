import * as node from 'node:child_process';
import { sealDescriptors } from './descriptors.ts';

/**
 * The functions of `node:child_process` under their own names, for children that get the standard
 * streams and what `stdio` hands over, and nothing else that this process has open. No other
 * module starts a process.
 */
export const spawn = sealed(node.spawn);
/** See {@link spawn}. */
export const spawnSync = sealed(node.spawnSync);
/** See {@link spawn}. */
export const execFile = sealed(node.execFile);
/** See {@link spawn}. */
export const execFileSync = sealed(node.execFileSync);

function sealed<Start extends (...args: never[]) => unknown>(start: Start): Start {
  const sealedStart = (...args: Parameters<Start>): unknown => {
    sealDescriptors();
    return start(...args);
  };
  return sealedStart as Start;
}
