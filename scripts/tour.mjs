// `npm run tour`: sets up this checkout, then plays the whole story against a server of its own.
import { runCli } from './lib/run-cli.mjs';

await runCli('tour');
