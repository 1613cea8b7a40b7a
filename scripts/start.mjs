// `npm start`: sets up this checkout, then serves. Arguments go on to `stoa serve`.
// Changes nothing outside the checkout and the data directory.
import { runCli } from './lib/run-cli.mjs';

await runCli('serve');
