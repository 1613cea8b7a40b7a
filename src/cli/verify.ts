import { readFileSync, statSync } from 'node:fs';
import { AppError } from '../domain/error.ts';
import { parseVerifierKey } from '../domain/proof/note.ts';
import { verifyProofFile } from '../domain/verify/proof-file.ts';
import { verifyEd25519 } from '../process/proof-keys.ts';
import { readFlags } from './flags.ts';

/** Largest proof file that is read, in bytes. */
const FILE_BYTES_MAX = 1_048_576;

/**
 * `stoa verify <proof file> [--key vkey]`: checks a proof without any server. The first line is the
 * answer.
 */
export async function verify(argv: readonly string[]): Promise<number> {
  const hasFile = argv[0]?.startsWith('-') === false;
  const { key } = readFlags(hasFile ? argv.slice(1) : argv, { key: { type: 'string' } });
  const [file] = argv;
  if (file === undefined || !hasFile) {
    throw new AppError('CONFIG_INVALID', { message: 'stoa verify <proof file> [--key <key>]' });
  }
  if (key !== undefined && parseVerifierKey(key) === undefined) {
    throw new AppError('CONFIG_INVALID', {
      message: '--key takes a verifier key: name+id+key, as /v1/proofs/key tells it.',
      data: { received: key.slice(0, 200) },
    });
  }
  const verdict = await verifyProofFile(readJson(file), {
    verify: verifyEd25519,
    ...(key === undefined ? {} : { key }),
  });
  if (!verdict.isValid) {
    process.stdout.write(`no: ${verdict.reason}\n`);
    return 1;
  }
  const { record, origin, size } = verdict;
  const trust =
    key === undefined
      ? `The key came with the file; compare it, or give it with --key: ${verdict.key}`
      : 'The checkpoint is signed by the key that was given.';
  process.stdout.write(
    [
      `yes: record ${record.seq} of ${record.kind_name} is in the log ${origin} of ${size} records`,
      `ref ${record.ref}, recorded at ${record.at}`,
      trust,
      'This proves what was recorded, not that it is true.',
      '',
    ].join('\n'),
  );
  return 0;
}

function readJson(file: string): unknown {
  const text = read(file);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A missing or oversized file is wrong usage: it says nothing of any proof. */
function read(file: string): string {
  try {
    const { size } = statSync(file);
    if (size <= FILE_BYTES_MAX) return readFileSync(file, 'utf8');
    throw new AppError('CONFIG_INVALID', {
      message: 'The file is too large for a proof.',
      data: { received: size, allowed: FILE_BYTES_MAX },
    });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('CONFIG_INVALID', {
      message: 'The file cannot be read.',
      data: { file },
      cause,
    });
  }
}
