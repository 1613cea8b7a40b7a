import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eraseSubject } from '../../actors/proof/erase-subject.ts';
import { readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { createProofEraser } from '../../process/proof/evidence.ts';
import { openProofs } from '../../process/proof/proofs.ts';
import { lockDataDir } from '../../process/server/data-lock.ts';
import { readReady } from '../../process/server/ready-file.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { askServer } from '../common/ask-server.ts';
import type { Input } from '../common/usage.ts';
import type { OPERATE } from '../usage/operate.ts';

/**
 * `stoa proofs rotate-key`: creates a new HMAC key for future records. Also works while the server
 * is stopped.
 */
export async function rotateKey({ data }: Input<typeof OPERATE.proofsRotateKey>): Promise<number> {
  const dataDir = requireDataDir(data);
  if (readReady(dataDir) === undefined) {
    return withStoppedServer(dataDir, async (open) => ({ kid: open.rotateKey() }));
  }
  return printAnswer(await askServer({ data, path: '/operator/proofs/rotate-key', body: {} }));
}

/** `stoa proofs anchor`: anchors the log now. */
export async function anchor({ data }: Input<typeof OPERATE.proofsAnchor>): Promise<number> {
  const dataDir = requireDataDir(data);
  if (readReady(dataDir) === undefined) {
    throw new AppError('NOT_CONFIGURED', {
      message: 'Only a running server can anchor the log. Start it first.',
      data: { data_dir: dataDir },
    });
  }
  return printAnswer(await askServer({ data, path: '/operator/proofs/anchor', body: {} }));
}

/** `stoa erase`: erases a wallet or an agent from every store. Every proof still verifies. */
export async function erase({ subject, data }: Input<typeof OPERATE.erase>): Promise<number> {
  const dataDir = requireDataDir(data);
  if (readReady(dataDir) !== undefined) {
    return printAnswer(
      await askServer({ data, path: '/operator/proofs/erase', body: { subject } }),
    );
  }
  return withStoppedServer(dataDir, async ({ log }) => ({
    ...(await eraseSubject([createProofEraser(log)], subject)),
    note:
      'The server is not running, so only the proof log was erased. ' +
      'Start the server and run this command again for the other stores.',
  }));
}

/** Runs an action on a data directory while no server uses it. */
async function withStoppedServer(
  dataDir: string,
  act: (open: ReturnType<typeof openProofs>) => Promise<object>,
): Promise<number> {
  const lock = await lockDataDir(dataDir);
  try {
    const open = openProofs({ dataDir }, systemClock());
    try {
      process.stdout.write(`${JSON.stringify(await act(open))}\n`);
      return 0;
    } finally {
      await open.log.close();
    }
  } finally {
    await lock.release();
  }
}

/** Returns an existing data directory; throws instead of creating one in a wrong folder. */
function requireDataDir(data: string): string {
  const dataDir = resolve(data);
  if (existsSync(join(dataDir, 'proof-log.json'))) return dataDir;
  throw new AppError('CONFIG_INVALID', {
    message: 'This is not a data directory with a proof log.',
    data: { data_dir: dataDir },
  });
}

async function printAnswer(answer: Response): Promise<number> {
  (answer.ok ? process.stdout : process.stderr).write(`${await readTextWithin(answer.body)}\n`);
  return answer.ok ? 0 : 1;
}
