import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FaultName } from './path.ts';
import type { PathFailure } from './path-failure.ts';
import { toSavedStep } from './walk.ts';

/** Location and imports of a generated test. */
export interface FailingTest {
  /** The file to write; its folder is created. */
  readonly file: string;
  /** Import of the machine: `{ name: 'machine', from: '../src/order.js' }`. */
  readonly machine: { readonly name: string; readonly from: string };
  /** Import of the driver. Default: `engineDriver` with an engine in memory. */
  readonly driver?: { readonly name: string; readonly from: string };
  /** Import path of the testing kit. Default `@stoa/runtime/testing`. */
  readonly kit?: string;
  /** Import path of `test`. Default `vitest`. */
  readonly runner?: string;
  /** Faults injected at every step of the run. */
  readonly faults?: readonly FaultName[];
}

/**
 * Writes a test that replays exactly this path. It fails in the same way until the bug is fixed,
 * and then prevents its return. A custom driver is a function without parameters.
 *
 * @returns The text of the file.
 */
export function writeFailingTest(failure: PathFailure, options: FailingTest): string {
  const text = formatFailingTest(failure, options);
  mkdirSync(dirname(options.file), { recursive: true });
  writeFileSync(options.file, text);
  return text;
}

function formatFailingTest(failure: PathFailure, options: FailingTest): string {
  const { machine, driver, kit = '@stoa/runtime/testing', runner = 'vitest', faults } = options;
  const { path, stepsDone, message } = failure;
  const steps = path.steps.slice(0, stepsDone).map(toSavedStep);
  const parts =
    driver === undefined ? ['engineDriver', 'pathFrom', 'runPath'] : ['pathFrom', 'runPath'];
  const begin = path.begin.faults === undefined ? {} : { beginFaults: path.begin.faults };
  const saved = { id: path.id, input: path.input, ...begin, steps };
  const driverCall =
    driver === undefined ? `engineDriver({ machine: ${machine.name} })` : `${driver.name}()`;
  const all = faults === undefined ? '' : `, { faults: ${JSON.stringify(faults)} }`;
  const isKnownDriver = driver === undefined ? [] : [formatImport(driver.name, driver.from)];
  return [
    ...message.split('\n').map((line) => `// ${line}`.trimEnd()),
    formatImport(parts.join(', '), kit),
    formatImport('test', runner),
    ...isKnownDriver,
    formatImport(machine.name, machine.from),
    '',
    `test(${JSON.stringify(`${path.machineId} stays with its model on ${path.id}`)}, async () => {`,
    `  const path = pathFrom(${machine.name}, ${indent(JSON.stringify(saved, null, 2))});`,
    `  await runPath(path, ${driverCall}${all});`,
    '});',
    '',
  ].join('\n');
}

function formatImport(names: string, from: string): string {
  return `import { ${names} } from ${JSON.stringify(from)};`;
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
