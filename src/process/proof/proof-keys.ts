import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import { deriveKeyId, formatVerifierKey, type VerifyEd25519 } from '../../domain/proof/note.ts';
import type { ProofMac, ProofSigner } from '../../domain/proof/proof-log.ts';

/** The keys of a proof log. */
export interface ProofKeys {
  readonly mac: ProofMac;
  readonly signer: ProofSigner;
  /** The public key that verifies the log's checkpoints. */
  readonly publicKey: Uint8Array;
  /** The public key in the format in which logs publish it. */
  readonly verifierKey: string;
  /** Keys that signed the log before it was restored or copied. */
  readonly retired: readonly string[];
  /**
   * Creates a new HMAC key for future records and stores it first. Returns its id. Old keys stay.
   */
  rotate(): string;
}

const RING_FILE = 'proof-hmac.json';
const LOG_FILE = 'proof-log.json';
const RETIRED = '.retired.json';
const HMAC_KEY_BYTES = 32;
const KID_CHARS = 16;
const HmacFile = z.strictObject({
  /** Id of the key for new records. */
  current: z.string(),
  /** All keys by id, in hex. Old ones remain, to verify old records. */
  keys: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
});
const LogFile = z.strictObject({
  /** Fixed with the key: a log does not change its name. */
  origin: z.string().regex(/^[^\s+]+$/),
  key: z.strictObject({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    d: z.string(),
    x: z.string(),
  }),
});

/**
 * Opens the keys of the proof log in a data directory. Creates them on first use (files
 * `proof-hmac.json` and `proof-log.json`, mode 0600). The caller must own the directory.
 *
 * @param publicUrl - Its host names a new log. When absent, the key does.
 * @throws {AppError} `CONFIG_INVALID` for a damaged file.
 */
export function openProofKeys(dataDir: string, publicUrl: string | undefined): ProofKeys {
  const ringPath = join(dataDir, RING_FILE);
  let ring = openFile(ringPath, HmacFile, makeRing);
  let keys = toSecretKeys(ring);
  const retired = readRetiredKeys(dataDir);
  const makeKey = () => makeLogKey(publicUrl, retired.length > 0);
  const log = openFile(join(dataDir, LOG_FILE), LogFile, makeKey);
  const privateKey = createPrivateKey({ key: log.key, format: 'jwk' });
  const publicKey = new Uint8Array(Buffer.from(log.key.x, 'base64url'));
  const { origin } = log;
  const keyId = deriveKeyId(origin, 'ed25519', publicKey);
  return {
    mac: {
      get kid() {
        return ring.current;
      },
      mac: (kid, text) => {
        const key = keys.get(kid);
        return key === undefined ? undefined : createHmac('sha256', key).update(text).digest('hex');
      },
    },
    signer: {
      origin,
      keyId,
      sign: (message) => new Uint8Array(sign(null, message, privateKey)),
    },
    publicKey,
    verifierKey: makeVerifierKey(log),
    retired,
    rotate: () => {
      const fresh = makeRing();
      const next = { current: fresh.current, keys: { ...ring.keys, ...fresh.keys } };
      writeSynced(ringPath, JSON.stringify(next));
      ring = next;
      keys = toSecretKeys(ring);
      return ring.current;
    },
  };
}

/**
 * Sets the key of a log aside, so that the log continues under another name. A copy or a restored
 * older directory would otherwise sign a second history under the known name.
 */
export function retireLogKey(dataDir: string): void {
  const file = join(dataDir, LOG_FILE);
  if (!existsSync(file)) return;
  renameSync(file, join(dataDir, `proof-log-${randomBytes(4).toString('hex')}${RETIRED}`));
}

/**
 * Checks the key files of the proof log and their internal consistency. The id of an HMAC key is
 * derived from the key, as is the public part of the log's own key.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function checkProofKeys(dataDir: string, file: keyof typeof KEY_FILES): void {
  const path = join(dataDir, file);
  const isWhole = KEY_FILES[file](tryParseJson(readIfPresent(path) ?? ''));
  if (!isWhole) throw damagedKeyFile(path);
}

const KEY_FILES = {
  [RING_FILE]: (found: unknown): boolean => {
    const ring = HmacFile.safeParse(found).data;
    if (ring === undefined) return false;
    const keys = Object.entries(ring.keys);
    return ring.keys[ring.current] !== undefined && keys.every(([id, key]) => makeKid(key) === id);
  },
  [LOG_FILE]: (found: unknown): boolean => {
    const log = LogFile.safeParse(found).data;
    if (log === undefined) return false;
    try {
      const { d, x } = createPrivateKey({ key: log.key, format: 'jwk' }).export({ format: 'jwk' });
      return d === log.key.d && x === log.key.x && isLogName(log.origin, deriveOwnName(log.key.x));
    } catch {
      return false;
    }
  },
};

function readRetiredKeys(dataDir: string): readonly string[] {
  return readdirSync(dataDir)
    .filter((name) => name.startsWith('proof-log-') && name.endsWith(RETIRED))
    .map((name) => LogFile.safeParse(tryParseJson(readIfPresent(join(dataDir, name)) ?? '')))
    .flatMap((file) => (file.success ? [makeVerifierKey(file.data)] : []));
}

function makeVerifierKey({ origin, key }: z.infer<typeof LogFile>): string {
  const publicKey = new Uint8Array(Buffer.from(key.x, 'base64url'));
  const keyId = deriveKeyId(origin, 'ed25519', publicKey);
  return formatVerifierKey({ name: origin, keyId, publicKey, algorithm: 'ed25519' });
}

/** Verifies Ed25519 signatures with Node's crypto module. */
export const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};

function toSecretKeys(ring: z.infer<typeof HmacFile>): ReadonlyMap<string, KeyObject> {
  const entries = Object.entries(ring.keys);
  return new Map(entries.map(([kid, hex]) => [kid, createSecretKey(hex, 'hex')]));
}

function makeRing(): z.infer<typeof HmacFile> {
  const key = randomBytes(HMAC_KEY_BYTES).toString('hex');
  const kid = makeKid(key);
  return { current: kid, keys: { [kid]: key } };
}

function makeKid(key: string): string {
  return createHash('sha256').update(`kid:${key}`).digest('hex').slice(0, KID_CHARS);
}

/** @param hasNamedLog - Whether a log with the host's name already exists. */
function makeLogKey(publicUrl: string | undefined, hasNamedLog: boolean): z.infer<typeof LogFile> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const own = deriveOwnName(x);
  const named = publicUrl === undefined ? undefined : `${new URL(publicUrl).host}/stoa`;
  const origin =
    named === undefined ? `stoa.local/${own}` : `${named}${hasNamedLog ? `/${own}` : ''}`;
  return { origin, key: { kty: 'OKP', crv: 'Ed25519', d, x } };
}

/** Returns whether {@link makeLogKey} could have chosen a name. */
function isLogName(origin: string, own: string): boolean {
  const [host, name, part = own, ...others] = origin.split('/');
  if (others.length > 0 || part !== own) return false;
  return name === 'stoa' ? host !== '' : host === 'stoa.local' && name === own;
}

function deriveOwnName(publicKey: string): string {
  const bytes = Buffer.from(publicKey, 'base64url');
  return createHash('sha256').update(bytes).digest('hex').slice(0, KID_CHARS);
}

function openFile<T>(path: string, shape: z.ZodType<T>, make: () => T): T {
  const text = readIfPresent(path);
  if (text === undefined) {
    const made = make();
    writeSynced(path, JSON.stringify(made));
    return made;
  }
  const parsed = shape.safeParse(tryParseJson(text));
  if (parsed.success) return parsed.data;
  throw damagedKeyFile(path);
}

function damagedKeyFile(path: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: 'A key file of the proof log cannot be read.',
    data: { file: path, allowed: 'the original file' },
  });
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new AppError('CONFIG_INVALID', {
      message: 'A key file of the proof log cannot be read.',
      data: { file: path },
      cause,
    });
  }
}

/** Writes a whole file and syncs it before its key signs anything: a lost key ends its log. */
function writeSynced(path: string, text: string): void {
  const fresh = `${path}.${randomBytes(8).toString('hex')}`;
  const file = openSync(fresh, 'wx', 0o600);
  try {
    writeSync(file, `${text}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
}
