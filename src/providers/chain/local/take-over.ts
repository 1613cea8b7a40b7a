import { openRpc } from '../chain-rpc.ts';
import { endProcess } from './anvil.ts';
import type { ChainState } from './chain-state.ts';
import { findProcess, forgetProcess } from './process-record.ts';

const LEFTOVER_TIMEOUT_MS = 2_000;

/** Stops the node that a killed process left behind and saves the state that only it has. */
export async function takeOver(
  recordFile: string,
  binary: string,
  state: ChainState,
): Promise<void> {
  const leftover = findProcess(recordFile, [binary]);
  if (leftover !== undefined) {
    // A node that was killed during its preparation has less state than the file.
    if (leftover.isReady) await saveFrom(leftover.port, state);
    await endProcess(leftover.pid);
  }
  forgetProcess(recordFile);
}

async function saveFrom(port: number, state: ChainState): Promise<void> {
  try {
    await state.save(openRpc(`http://127.0.0.1:${port}`, LEFTOVER_TIMEOUT_MS));
  } catch {
    // A node that hangs cannot return its state. Stored transactions replace it.
  }
}
