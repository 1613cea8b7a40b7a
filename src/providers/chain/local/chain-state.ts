import { existsSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import type { ChainRpc } from '../chain-rpc.ts';
import { isCompleteState, pruneState } from './prune-state.ts';

/** A store that keeps the state of a local chain in one file and the previous state in another. */
export interface ChainStateStore {
  /**
   * Loads the newest readable state into a fresh node, if there is one. Stored transactions supply
   * what a state lacks.
   */
  load(rpc: ChainRpc): Promise<void>;
  /** Saves if blocks were added since the last save. @returns Whether it saved. */
  save(rpc: ChainRpc): Promise<boolean>;
  /** Saves without the blocks before `firstBlock` and keeps the old state as the previous one. */
  saveFrom(rpc: ChainRpc, firstBlock: number): Promise<void>;
}

/** Time in which a node must return or load its whole state, even when busy, in milliseconds. */
export const STATE_TIMEOUT_MS = 60_000;

/**
 * Opens the state file. A save writes a new file and renames it, so a kill at any time leaves the
 * last complete state. An idle chain writes nothing. A damaged file is set aside and reported.
 */
export function openChainState(file: string, notice: (line: string) => void): ChainStateStore {
  let savedBlock: string | undefined;
  const earlier = `${file}.before`;
  const write = async (state: Buffer) => {
    const draft = await open(`${file}.new`, 'w', 0o600);
    try {
      await draft.writeFile(state);
      await draft.sync();
    } finally {
      await draft.close();
    }
  };
  return {
    load: async (rpc) => {
      savedBlock = undefined;
      for (const candidate of [file, earlier]) {
        if (!existsSync(candidate)) continue;
        if (await loadState(rpc, candidate)) {
          savedBlock = await rpc.call<string>('eth_blockNumber', []);
          return;
        }
        notice(`the chain state ${candidate} is damaged; it is kept as ${candidate}.damaged`);
        await rename(candidate, `${candidate}.damaged`);
      }
    },
    save: async (rpc) => {
      const block = await rpc.call<string>('eth_blockNumber', []);
      if (block === savedBlock) return false;
      await write(await dumpState(rpc));
      await rename(`${file}.new`, file);
      savedBlock = block;
      return true;
    },
    saveFrom: async (rpc, firstBlock) => {
      const block = await rpc.call<string>('eth_blockNumber', []);
      await write(await pruneState(await dumpState(rpc), firstBlock));
      if (existsSync(file)) await rename(file, earlier);
      await rename(`${file}.new`, file);
      savedBlock = block;
    },
  };
}

async function loadState(rpc: ChainRpc, file: string): Promise<boolean> {
  const state = await readFile(file);
  if (!(await isCompleteState(state))) return false;
  await rpc.call('anvil_loadState', [`0x${state.toString('hex')}`]);
  return true;
}

async function dumpState(rpc: ChainRpc): Promise<Buffer> {
  const state = await rpc.call<string>('anvil_dumpState', []);
  return Buffer.from(state.slice(2), 'hex');
}
