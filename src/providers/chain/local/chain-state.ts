import { existsSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import type { ChainRpc } from '../chain-rpc.ts';
import { isWholeState, pruneState } from './prune-state.ts';

/** Keeps the state of a local chain in one file, and the state before it in a second one. */
export interface ChainState {
  /**
   * Puts the kept state into a fresh node: the newest that can be read, or nothing when there is
   * none. What a state lacks is in the kept transactions.
   */
  load(rpc: ChainRpc): Promise<void>;
  /** Saves when blocks were added since the last save. @returns Whether it saved. */
  save(rpc: ChainRpc): Promise<boolean>;
  /** Saves without the blocks before `firstBlock`; the state until now becomes the second one. */
  saveFrom(rpc: ChainRpc, firstBlock: number): Promise<void>;
}

/** Milliseconds in which a node must give or take its whole state, also while it is busy. */
export const STATE_TIMEOUT_MS = 60_000;

/**
 * Opens the state file. It is written beside and renamed, so a kill at any moment leaves the last
 * whole state, and an idle chain writes nothing. A damaged file is put aside and told of.
 */
export function openChainState(file: string, notice: (line: string) => void): ChainState {
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
        if (await put(rpc, candidate)) {
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
      await write(await dump(rpc));
      await rename(`${file}.new`, file);
      savedBlock = block;
      return true;
    },
    saveFrom: async (rpc, firstBlock) => {
      const block = await rpc.call<string>('eth_blockNumber', []);
      await write(await pruneState(await dump(rpc), firstBlock));
      if (existsSync(file)) await rename(file, earlier);
      await rename(`${file}.new`, file);
      savedBlock = block;
    },
  };
}

async function put(rpc: ChainRpc, file: string): Promise<boolean> {
  const state = await readFile(file);
  if (!(await isWholeState(state))) return false;
  await rpc.call('anvil_loadState', [`0x${state.toString('hex')}`]);
  return true;
}

async function dump(rpc: ChainRpc): Promise<Buffer> {
  const state = await rpc.call<string>('anvil_dumpState', []);
  return Buffer.from(state.slice(2), 'hex');
}
