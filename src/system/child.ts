import * as node from 'node:child_process';
import { promisify } from 'node:util';
import { sealDescriptors } from './descriptors.ts';

/**
 * The functions of `node:child_process` for children that inherit only the standard streams and
 * what `stdio` passes on, but no other descriptors. No other module starts a process.
 */
export const spawn = wrapStart(node.spawn);
/** Starts a child with sealed descriptors and waits for its end. */
export const spawnSync = wrapStart(node.spawnSync);
/** Runs a program with sealed descriptors and buffers its output. */
export const execFile = wrapStart(node.execFile);
/** Runs a program with sealed descriptors and returns its output. */
export const execFileSync = wrapStart(node.execFileSync);

type StartFunction = (...args: never[]) => unknown;

function wrapStart<Kind extends StartFunction>(start: Kind): Kind {
  // `promisify(execFile)` calls another function, which must seal as well.
  const promised = Reflect.get(start, promisify.custom) as StartFunction | undefined;
  const own = promised === undefined ? {} : { [promisify.custom]: sealBeforeStart(promised) };
  return Object.assign(sealBeforeStart(start), own);
}

function sealBeforeStart<Kind extends StartFunction>(start: Kind): Kind {
  const afterwards = (...args: Parameters<Kind>): unknown => {
    sealDescriptors();
    return start(...args);
  };
  return afterwards as Kind;
}
