import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { trimEndChars } from '../../domain/common/text.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { parseVerifierKey } from '../../domain/proof/note.ts';
import { type WitnessDeps, type WitnessResult, witnessOnce } from '../../process/proof/witness.ts';
import { openWitnessKey } from '../../process/proof/witness-files.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { Input } from '../common/usage.ts';
import type { AUDIT } from '../usage/audit.ts';

const INTERVAL_S_MAX = 86_400;

/**
 * `stoa witness`: runs a witness process that checks a proof log for consistency and cosigns its
 * checkpoints.
 */
export async function witness(flags: Input<typeof AUDIT.witness>): Promise<number> {
  const log = parseLogUrl(flags.log);
  const everyS = Number(flags['every-s']);
  if (!Number.isInteger(everyS) || everyS < 1 || everyS > INTERVAL_S_MAX) {
    throw flagError('--every-s', flags['every-s'], `a whole number from 1 to ${INTERVAL_S_MAX}`);
  }
  const logKey = flags['log-key'];
  if (logKey !== undefined && parseVerifierKey(logKey) === undefined) {
    throw flagError('--log-key', logKey, 'name+id+key, from /v1/proofs/key');
  }
  const path = resolve(flags['key-file']);
  const key = openWitnessKey(path, flags.name);
  process.stdout.write(`witness ${key.verifierKey}\n`);
  const clock = systemClock();
  // Resolve links, so that one key has one memory.
  const seenPath = `${realpathSync(path)}.seen.json`;
  const parts = { log, key, logKey, seenPath, now: () => clock.now() };
  return flags.once ? printResult(await witnessOnce(parts), log) : runWitness(parts, everyS);
}

/** Runs until the log forks or the process is stopped. */
async function runWitness(parts: WitnessDeps, everyS: number): Promise<number> {
  let last = '';
  for (;;) {
    try {
      const seen = await witnessOnce(parts);
      if (seen.state === 'forked') return printResult(seen, parts.log);
      const now = `${seen.size}`;
      if (now !== last) printResult(seen, parts.log);
      last = now;
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      if (code === 'CONFIG_INVALID') throw thrown;
      if (message !== last) process.stderr.write(`stoa: ${code}: ${message}\n`);
      last = message;
    }
    await sleep(everyS * SECOND_MS);
  }
}

function printResult(seen: WitnessResult, log: string): number {
  if (seen.state === 'cosigned') {
    process.stdout.write(`cosigned ${seen.size} records of ${log}\n`);
    return 0;
  }
  process.stderr.write(
    [
      `FORK: ${log} is inconsistent: ${seen.reason}.`,
      'The witness signed nothing. Do not trust this log until its operator has explained it.',
      `Both checkpoints are stored in ${seen.evidence}.`,
      '',
    ].join('\n'),
  );
  return 1;
}

function parseLogUrl(text: string): string {
  const isUrl = /^https?:\/\//.test(text) && URL.canParse(text);
  if (isUrl) return trimEndChars(text, '/');
  throw flagError('--log', text, 'the address of a server, such as http://127.0.0.1:8402');
}

function flagError(flag: string, received: string, allowed: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${flag} must be ${allowed}.`,
    data: { received: received.slice(0, 200), allowed },
  });
}
