// Tests of an order, made from its state machine: every transition, with faults in between, first on
// the durable engine, then on a shop that was written by hand and has a fault of its own.
//   node check.mjs
import {
  Coverage,
  checkSystem,
  coverageText,
  engineDriver,
  mutantsOf,
  PathFailure,
  pathSetOf,
  pathsOf,
  runPaths,
  seedFrom,
  tryMutants,
  withFaults,
  writeFailingTest,
} from '@stoa/runtime/testing';
import { machine, plan } from './order.mjs';
import { shopDriver } from './shop.mjs';

const say = (text: string) => process.stdout.write(`${text}\n`);

// [guide paths
const found = pathSetOf(machine, { ...plan, how: 'transitions', ignored: 'all' });
const { coveredIds, transitionIds } = found;
say(
  `${found.paths.length} paths cover ${coveredIds.length} of ${transitionIds.length} transitions`,
);
// guide]

// [guide run
const driver = () => engineDriver({ machine });
const coverage = new Coverage({ machine, title: 'every transition, every fault' });
const faulty = withFaults(found.paths, { where: 'everyStep' });
const sum = await runPaths(faulty, { machine, driver, coverage });
say(`${sum.paths} runs with ${sum.faults} faults agree with the model`);
say(coverageText(coverage.report(Date.now())));
// guide]

// [guide check
const checked = await checkSystem(machine, { ...plan, driver, timeMs: 2_000 });
if (checked.paths < 10) throw new Error('the check was too slow');
// guide]

// [guide mutants
const mutants = mutantsOf(machine);
const { caught, survivors } = await tryMutants(mutants, found.paths);
say(`${Object.keys(caught).length} of ${mutants.length} broken copies are caught`);
for (const { about } of survivors) say(`not caught: ${about}`);
// guide]

// [guide failing
const seed = seedFrom(process.env, 7);
try {
  const walks = pathsOf(machine, { ...plan, how: 'random', seed, countMax: 100 });
  await runPaths(walks, { machine, driver: shopDriver });
} catch (thrown) {
  if (!(thrown instanceof PathFailure)) throw thrown;
  say(thrown.message);
  writeFailingTest(thrown, {
    file: 'shop.test.mjs',
    machine: { name: 'machine', from: './order.mjs' },
    driver: { name: 'shopDriver', from: './shop.mjs' },
    runner: 'node:test',
  });
}
// guide]
