import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../../src/actors/audit', import.meta.url));
/** What works within a session: all of it reaches the target through the gate alone. */
const BEHIND = ['survey', 'try-aims', 'call-tool', 'text-pieces', 'create-probe', 'probe'].map(
  (stem) => `session/${stem}.ts`,
);
const files = [
  ...BEHIND,
  ...['probes', 'injection'].flatMap((folder) =>
    readdirSync(join(FOLDER, folder)).map((name) => join(folder, name)),
  ),
];
/** Ways to a target that lead past the gate. */
const PAST =
  /\b(?:TargetConnection|AuditTargets?|OpenTarget|withTarget|cleanUp)\b|ask-target|providers\/|node:/;

test('no probe has a way to its target but the gate', () => {
  expect(files.length).toBeGreaterThan(30);
  for (const file of files) {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const imports = text.match(/^(?:import|export)[\s\S]*?;$/gm)?.join('\n') ?? '';
    expect(PAST.exec(imports)?.[0], file).toBeUndefined();
    // A field of the gate that holds the target is private to the language, not to the types.
    expect(/\bas (?:unknown|any|never)\b/.test(text) && text.includes('target as'), file).toBe(
      false,
    );
  }
  expect(readFileSync(join(FOLDER, 'session/gate.ts'), 'utf8')).toMatch(
    /readonly #target: AuditTarget;/,
  );
});
