import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import { canonicalJson, type JsonObject } from '../../../src/domain/common/json.ts';
import { sealPayload } from '../../../src/domain/proof/record.ts';

const salt = 'ab'.repeat(32);

test('what is kept apart is written as canonical JSON, with the hashes that open it', () => {
  const payloads = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(fc.string(), payloads, (subject, payload) => {
      const apart = { salt, subject, payload };
      const { text, hashes } = sealPayload(apart);
      expect(text).toBe(canonicalJson(apart));
      expect(hashes).toEqual(sealPayload(JSON.parse(text)).hashes);
    }),
    { numRuns: 200 },
  );
  const { hashes } = sealPayload({ salt, subject: '0xme', payload: { b: 1, a: 2 } });
  expect(hashes.subject_hash).toBe(sha256Hex(`${salt}subject:0xme`));
  expect(hashes.payload_hash).toBe(sha256Hex(`${salt}payload:{"a":2,"b":1}`));
});
