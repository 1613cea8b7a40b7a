import { TestRunner } from 'vitest';
import { requirements } from '../requirements.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Ids of the requirement rows that the test proves. */
    proves?: string[];
  }
}

const known = new Set(requirements.map((row) => row.id));

/**
 * Says, inside a test, which requirement rows the test proves. The claim counts when the test
 * passes; `scripts/requirements-gate.mjs` compares the claims of a run with the rows.
 *
 * @param ids - Row ids such as `C4.1.t1`, as test/requirements lists them.
 */
export function proves(...ids: readonly string[]): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('proves() is called inside a running test');
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new Error(`no requirement row has the id ${unknown.join(', ')}`);
  test.meta.proves = [...(test.meta.proves ?? []), ...ids];
}
