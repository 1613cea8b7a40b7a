import type { TextTable } from '../common/text-table.ts';
import type { Op } from './commit-queue.ts';
import type { PayloadCodec } from './payload-codec.ts';
import { missingKey, wrongKey } from './payload-codec.ts';

/** Begins a row that a codec has encoded, before base64. JSON never starts with it. */
const ENCODED = '~';
/** Name of the mark that lists the keys of a store, each with a text that it has encoded. */
const KEYS_MARK = 'payload-keys';
const PROBE = 'stoa';

/** Encodes the payloads among the changes of a commit. */
export function encodeOps(
  ops: readonly Op[],
  tables: ReadonlySet<TextTable>,
  codec: PayloadCodec,
): readonly Op[] {
  return ops.map((op) => {
    const { db, text } = op;
    if (typeof text !== 'string' || !tables.has(db)) return op;
    return { ...op, text: `${ENCODED}${Buffer.from(codec.encode(text)).toString('base64')}` };
  });
}

/** Returns the text of a row, which may be older than the codec. */
export function decodeRow(codec: PayloadCodec, text: string): string {
  if (!text.startsWith(ENCODED)) return text;
  return codec.decode(Buffer.from(text.slice(ENCODED.length), 'base64'));
}

/**
 * Checks that a codec has the keys of a store.
 *
 * @returns What to write if the codec brings a new key.
 * @throws {EngineError} `STORE_KEY_INVALID` naming the key that is missing or another one.
 */
export function checkCodec(marks: TextTable, codec: PayloadCodec | undefined): readonly Op[] {
  const stored = JSON.parse(marks.get(KEYS_MARK) ?? '{}') as Readonly<Record<string, string>>;
  for (const [keyId, probe] of Object.entries(stored)) {
    if (codec === undefined) throw missingKey(keyId, []);
    if (codec.decode(Buffer.from(probe, 'base64')) !== PROBE) throw wrongKey(keyId);
  }
  if (codec === undefined || Object.hasOwn(stored, codec.keyId)) return [];
  const probe = Buffer.from(codec.encode(PROBE)).toString('base64');
  const text = JSON.stringify({ ...stored, [codec.keyId]: probe });
  return [{ db: marks, key: KEYS_MARK, text }];
}
