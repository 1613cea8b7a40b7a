import { existsSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import type { ChainRpc } from './chain-rpc.ts';

/** Keeps the state of a local chain in one file. */
export interface ChainState {
  /** Puts the kept state into a fresh node; nothing when there is none. */
  load(rpc: ChainRpc): Promise<void>;
  /** Saves when blocks were added since the last save. @returns Whether it saved. */
  save(rpc: ChainRpc): Promise<boolean>;
}

/**
 * Opens the state file. It is written beside and renamed, so a kill at any moment leaves the last
 * whole state, and an idle chain writes nothing. Size: about 500 bytes a transaction.
 */
export function openChainState(file: string): ChainState {
  let savedBlock: string | undefined;
  return {
    load: async (rpc) => {
      savedBlock = undefined;
      if (!existsSync(file)) return;
      await rpc.call('anvil_loadState', [`0x${readFileSync(file).toString('hex')}`]);
      savedBlock = await rpc.call<string>('eth_blockNumber', []);
    },
    save: async (rpc) => {
      const block = await rpc.call<string>('eth_blockNumber', []);
      if (block === savedBlock) return false;
      const state = await rpc.call<string>('anvil_dumpState', []);
      const draft = await open(`${file}.new`, 'w', 0o600);
      try {
        await draft.writeFile(Buffer.from(state.slice(2), 'hex'));
        await draft.sync();
      } finally {
        await draft.close();
      }
      await rename(`${file}.new`, file);
      savedBlock = block;
      return true;
    },
  };
}
