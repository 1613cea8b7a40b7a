import { expect, test } from 'vitest';
import { NameLedger } from '../../../src/actors/audit/name-ledger.ts';
import type { RpcOutcome } from '../../../src/domain/audit/audit-target.ts';
import { createAuditNames } from '../../../src/domain/audit/text/audit-names.ts';

const own = createAuditNames('ab'.repeat(16));
const outcome = {
  kind: 'result',
  result: { content: [{ type: 'text', text: 'It says: hello.' }] },
} as unknown as RpcOutcome;

/** Tools that may have kept a name, after one call of a reader. */
function noted(tool: string, values: unknown): readonly string[] {
  const ledger = new NameLedger();
  ledger.recordReaderCall(tool, values, { own, outcome });
  expect(ledger.readers()).toEqual([tool]);
  return ledger.entries().map((entry) => entry.tool);
}

test('a reader that knows a path which nobody has may have made it, also one named as a search', () => {
  expect(noted('read_file', { path: own.filePath('x') })).toEqual(['read_file']);
  expect(noted('search_table', { path: own.filePath('x') })).toEqual(['search_table']);
});

test('a search for a text may answer anything', () => {
  expect(noted('search_table', { query: own.filePath('x') })).toEqual([]);
});
