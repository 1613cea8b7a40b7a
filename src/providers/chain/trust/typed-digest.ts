import { LRUCache } from 'lru-cache';
import { hashMessage, keccak256, toHex } from 'viem/utils';
import { AppError } from '../../../domain/common/error.ts';
import { isObject, type Json } from '../../../domain/common/json.ts';
import type { TypedData } from '../../../domain/wallet/typed-data.ts';

type Members = readonly { readonly name: string; readonly type: string }[];

const WORD_BYTES = 32;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HEX = /^0x([0-9a-fA-F]{2})*$/;
const NUMBER = /^u?int(\d{1,3})?$/;
const FIXED_BYTES = /^bytes(\d{1,2})$/;
/** Most cached hashes of domains and types. */
const CACHED_HASHES_MAX = 64;

const cachedHashes = new LRUCache<string, Uint8Array>({ max: CACHED_HASHES_MAX });

/** Computes the 32 bytes that a wallet signs for typed data or for a text (EIP-191). */
export function digestToSign(data: TypedData | string): Uint8Array {
  return typeof data === 'string' ? hashMessage(data, 'bytes') : typedDigest(data);
}

/**
 * Computes the 32 bytes that a wallet signs for typed data. The result equals viem's
 * `hashTypedData` for addresses, numbers, booleans, strings, bytes and structs. Hashes of domains
 * and types are cached.
 *
 * @throws {AppError} `INPUT_INVALID` for a value that does not match its type
 */
export function typedDigest(data: TypedData): Uint8Array {
  const message = Buffer.alloc(2 + 2 * WORD_BYTES);
  message.set([0x19, 0x01], 0);
  message.set(domainSeparator(data), 2);
  message.set(hashStruct(data, data.primaryType, data.message), 2 + WORD_BYTES);
  return keccak256(message, 'bytes');
}

function domainSeparator({ domain }: TypedData): Uint8Array {
  const { name, version, chainId, verifyingContract } = domain;
  return cachedHash(`domain ${JSON.stringify([name, version, chainId, verifyingContract])}`, () => {
    const contract = verifyingContract === undefined ? [] : [['verifyingContract', 'address']];
    const members = [
      ...[
        ['name', 'string'],
        ['version', 'string'],
        ['chainId', 'uint256'],
      ],
      ...contract,
    ].map(([member = '', type = '']) => ({ name: member, type }));
    const types = { EIP712Domain: members };
    const asData = { domain, types, primaryType: 'EIP712Domain', message: {} };
    return hashStruct(asData, 'EIP712Domain', { ...domain });
  });
}

function hashStruct(data: TypedData, type: string, value: Json | undefined): Uint8Array {
  const members = data.types[type];
  if (members === undefined || !isObject(value)) throw invalidValue(type, value);
  const words = Buffer.alloc((1 + members.length) * WORD_BYTES);
  words.set(hashType(data, type), 0);
  for (const [index, member] of members.entries()) {
    const word = encodeWord(data, member.type, value[member.name] as Json | undefined);
    words.set(word, (1 + index) * WORD_BYTES);
  }
  return keccak256(words, 'bytes');
}

function hashType({ types }: TypedData, primary: string): Uint8Array {
  const text = encodeType(types, primary);
  return cachedHash(`type ${text}`, () => keccak256(toHex(text), 'bytes'));
}

/** Encodes the struct's own type first, then the types that it uses, by name. */
function encodeType(types: TypedData['types'], primary: string): string {
  const used = new Set<string>();
  const collect = (type: string) => {
    if (used.has(type)) return;
    used.add(type);
    for (const member of types[type] ?? []) if (types[member.type]) collect(member.type);
  };
  collect(primary);
  const others = [...used].filter((type) => type !== primary).sort();
  const textOf = (type: string) => `${type}(${(types[type] ?? []).map(encodeMember).join(',')})`;
  return [primary, ...others].map(textOf).join('');
}

function encodeMember({ name, type }: Members[number]): string {
  return `${type} ${name}`;
}

function encodeWord(data: TypedData, type: string, value: Json | undefined): Uint8Array {
  if (data.types[type] !== undefined) return hashStruct(data, type, value);
  if (type === 'string' && typeof value === 'string') return keccak256(Buffer.from(value), 'bytes');
  if (type === 'bool' && typeof value === 'boolean') return encodeNumber(value ? 1n : 0n);
  if (type === 'address' && typeof value === 'string' && ADDRESS.test(value)) {
    return encodeNumber(BigInt(value));
  }
  if (NUMBER.test(type)) return encodeNumber(parseNumber(type, value));
  if (typeof value !== 'string' || !HEX.test(value)) throw invalidValue(type, value);
  const bytes = Buffer.from(value.slice(2), 'hex');
  if (type === 'bytes') return keccak256(bytes, 'bytes');
  if (Number(FIXED_BYTES.exec(type)?.[1]) !== bytes.length) throw invalidValue(type, value);
  const word = Buffer.alloc(WORD_BYTES);
  word.set(bytes, 0);
  return word;
}

function parseNumber(type: string, value: Json | undefined): bigint {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
  const isText = typeof value === 'string' && /^-?\d{1,78}$/.test(value);
  if (!isWhole && !isText) throw invalidValue(type, value);
  const number = BigInt(value);
  const bits = Number(NUMBER.exec(type)?.[1] ?? '256');
  const fits = type.startsWith('u')
    ? BigInt.asUintN(bits, number) === number
    : BigInt.asIntN(bits, number) === number;
  if (!fits) throw invalidValue(type, value);
  return BigInt.asUintN(8 * WORD_BYTES, number);
}

function encodeNumber(number: bigint): Uint8Array {
  return Buffer.from(number.toString(16).padStart(2 * WORD_BYTES, '0'), 'hex');
}

function invalidValue(type: string, received: Json | undefined): AppError {
  return new AppError('INPUT_INVALID', {
    message: `The typed data contains a value that is not of type ${type}.`,
    data: { type, received: JSON.stringify(received) ?? 'nothing' },
  });
}

function cachedHash(key: string, make: () => Uint8Array): Uint8Array {
  const found = cachedHashes.get(key);
  if (found !== undefined) return found;
  const made = make();
  cachedHashes.set(key, made);
  return made;
}
