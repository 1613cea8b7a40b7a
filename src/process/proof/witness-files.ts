import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import { deriveKeyId, formatVerifierKey, type VerifierKey } from '../../domain/proof/note.ts';

const KeyFile = z.strictObject({
  /** Name of the witness, in its key and on its lines. */
  name: z.string().regex(/^[^\s+]+$/),
  key: z.strictObject({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    d: z.string(),
    x: z.string(),
  }),
});
const SeenFile = z.record(
  z.string(),
  z.strictObject({
    /** The log's key, as pinned at the first visit. */
    key: z.string(),
    size: z.int().min(0),
    /** In hex. */
    root: z.string().regex(/^[0-9a-f]{64}$/),
    /** The cosigned note, as evidence if the log ever contradicts it. */
    note: z.string(),
  }),
);

/** What a witness has seen of a log. */
export type SeenLog = z.infer<typeof SeenFile>[string];

/** A witness key. */
export interface WitnessKey {
  readonly key: VerifierKey;
  /** The key as a log's operator lists it in `STOA_WITNESS_KEYS`. */
  readonly verifierKey: string;
  sign(message: Uint8Array): Uint8Array;
}

/**
 * Opens the key of a witness. Creates it on first use (mode 0600).
 *
 * @param name - Names a new key. When absent, its hash does.
 * @throws {AppError} `CONFIG_INVALID` for a damaged file.
 */
export function openWitnessKey(path: string, name: string | undefined): WitnessKey {
  const held = readJsonFile(path, KeyFile) ?? createKeyFile(path, name);
  const privateKey = createPrivateKey({ key: held.key, format: 'jwk' });
  const publicKey = new Uint8Array(Buffer.from(held.key.x, 'base64url'));
  const algorithm = 'cosignature';
  const keyId = deriveKeyId(held.name, algorithm, publicKey);
  const key = { name: held.name, keyId, publicKey, algorithm } as const;
  return {
    key,
    verifierKey: formatVerifierKey(key),
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  };
}

/** Reads what a witness has seen, by log address. */
export function readSeen(path: string): Readonly<Record<string, SeenLog>> {
  return readJsonFile(path, SeenFile) ?? {};
}

/**
 * Writes a whole file and syncs it before anything is signed: a witness must never forget what it
 * cosigned.
 */
export function writeSynced(path: string, value: object): void {
  renameSync(writeTemporary(path, value), path);
}

/** Creates a file. If two processes race, the first one wins. */
function writeIfAbsent(path: string, value: object): void {
  const fresh = writeTemporary(path, value);
  try {
    linkSync(fresh, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
  } finally {
    rmSync(fresh, { force: true });
  }
}

function writeTemporary(path: string, value: object): string {
  const fresh = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openSync(fresh, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(value)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return fresh;
}

function createKeyFile(path: string, name: string | undefined): z.infer<typeof KeyFile> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const hash = createHash('sha256').update(Buffer.from(x, 'base64url')).digest('hex');
  const file = {
    name: name ?? `witness.local/${hash.slice(0, 16)}`,
    key: { kty: 'OKP', crv: 'Ed25519', d, x },
  } as const;
  if (!KeyFile.safeParse(file).success) {
    throw new AppError('CONFIG_INVALID', {
      message: '--name must not contain spaces or +.',
      data: { received: name },
    });
  }
  writeIfAbsent(path, file);
  return readJsonFile(path, KeyFile) ?? file;
}

function readJsonFile<T>(path: string, shape: z.ZodType<T>): T | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new AppError('CONFIG_INVALID', {
      message: 'A witness file cannot be read.',
      data: { file: path },
      cause,
    });
  }
  const parsed = shape.safeParse(tryParseJson(text));
  if (parsed.success) return parsed.data;
  throw new AppError('CONFIG_INVALID', {
    message: 'A witness file is damaged.',
    data: { file: path },
  });
}
