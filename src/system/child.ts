import * as node from 'node:child_process';
import { promisify } from 'node:util';
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

type Start = (...args: never[]) => unknown;

function sealed<Kind extends Start>(start: Kind): Kind {
  // `promisify(execFile)` calls another function, which must seal as well.
  const promised = Reflect.get(start, promisify.custom) as Start | undefined;
  const own = promised === undefined ? {} : { [promisify.custom]: afterSealing(promised) };
  return Object.assign(afterSealing(start), own);
}

function afterSealing<Kind extends Start>(start: Kind): Kind {
  const afterwards = (...args: Parameters<Kind>): unknown => {
    sealDescriptors();
    return start(...args);
  };
  return afterwards as Kind;
}
