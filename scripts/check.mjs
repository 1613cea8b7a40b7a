// `npm run check`: every check of the source, two at a time. What is known of files that did not
// change is kept in `.cache/check`.
import { join } from 'node:path';
import { CHECKOUT } from './lib/checkout.mjs';
import { CHECKS, printStep, runSteps } from './lib/checks.mjs';

const isOk = await runSteps(CHECKS, join(CHECKOUT, '.cache', 'check'), printStep);
process.exitCode = isOk ? 0 : 1;
