#!/usr/bin/env node
import { findHelp, runCommand } from './cli/program.ts';
import { type AppError, type ErrorCode, errorBody, toAppError } from './domain/common/error.ts';
import { ignoreClosedReaders, stopWithParent } from './system/standard-streams.ts';

/** Exit codes: success, failure, invalid usage. */
const EXIT = { fine: 0, failed: 1, usage: 2 } as const;
/** Errors that a restart does not fix. */
const USAGE_ERRORS: readonly ErrorCode[] = [
  'CONFIG_INVALID',
  'DATA_DAMAGED',
  'DATA_DIR_UNUSABLE',
  'PORT_IN_USE',
];

function report(error: AppError): number {
  const { data } = errorBody(error);
  const facts = data === undefined ? '' : ` ${JSON.stringify(data)}`;
  process.stderr.write(`stoa: ${error.code}: ${error.message}${facts}\n`);
  if (error.code === 'CONFIG_INVALID') {
    process.stderr.write(`See \`${findHelp(process.argv.slice(2))}\`.\n`);
  }
  if (error.code === 'INTERNAL' && error.cause instanceof Error) {
    process.stderr.write(`${error.cause.stack ?? error.cause.message}\n`);
  }
  return USAGE_ERRORS.includes(error.code) ? EXIT.usage : EXIT.failed;
}

/** Returns the final exit code: a result that could not be written completely is a failure. */
function finish(code: number): number {
  const lost = lostOutput();
  if (lost === undefined) return code;
  process.stderr.write(`stoa: standard output could not be written: ${lost}\n`);
  return code === EXIT.fine ? EXIT.failed : code;
}

const lostOutput = ignoreClosedReaders();
// A router receives its port over such a channel and outlives the process that sent it.
if (process.argv[2] !== 'router') stopWithParent();
const code = await runCommand(process.argv.slice(2)).catch((thrown: unknown) =>
  report(toAppError(thrown)),
);
process.exitCode = code;
// Write errors arrive after the write.
process.once('exit', () => {
  process.exitCode = finish(code);
});
