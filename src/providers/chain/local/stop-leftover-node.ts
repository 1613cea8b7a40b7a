import { connectRpc } from '../chain-rpc.ts';
import { stopProcess } from './anvil.ts';
import type { ChainStateStore } from './chain-state.ts';
import { deleteProcessRecord, findRecordedProcess } from './process-record.ts';

const LEFTOVER_TIMEOUT_MS = 2_000;

/** Stops the node that a killed process left behind and saves the state that only it has. */
export async function stopLeftoverNode(
  recordFile: string,
  binary: string,
  state: ChainStateStore,
): Promise<void> {
  const leftover = findRecordedProcess(recordFile, [binary]);
  if (leftover !== undefined) {
    // A node that was killed during its preparation has less state than the file.
    if (leftover.isReady) await saveStateFrom(leftover.port, state);
    await stopProcess(leftover.pid);
  }
  deleteProcessRecord(recordFile);
}

async function saveStateFrom(port: number, state: ChainStateStore): Promise<void> {
  try {
    await state.save(connectRpc(`http://127.0.0.1:${port}`, LEFTOVER_TIMEOUT_MS));
  } catch {
    // A node that hangs cannot return its state. Stored transactions replace it.
  }
}
