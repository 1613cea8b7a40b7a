import type { Redaction } from '../../src/actors/inspect/redaction/redaction.ts';

/** Creates a redaction that shows everything, for kinds that hold only test data. */
export function createFullRedaction(kind: string): Redaction {
  return { kind, context: ['**'], hidden: [], events: { '*': ['**'] }, output: ['**'] };
}
