import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, ERRORS, type ErrorCode, errorBody } from '../domain/error.ts';
import { isObject } from '../domain/json.ts';

/** Leaves the reason why a daemon did not start for the client that started it. */
export function writeRefusal(dataDir: string, error: AppError): void {
  writeFileSync(path(dataDir), `${JSON.stringify(errorBody(error))}\n`, { mode: 0o600 });
}

/** Reads why the last daemon did not start; `undefined` when nothing is told. */
export function readRefusal(dataDir: string): AppError | undefined {
  try {
    const told: unknown = JSON.parse(readFileSync(path(dataDir), 'utf8'));
    if (!isObject(told)) return undefined;
    const { error, message, data } = told;
    if (typeof error !== 'string' || !Object.hasOwn(ERRORS, error)) return undefined;
    return new AppError(error as ErrorCode, {
      ...(typeof message === 'string' ? { message } : {}),
      ...(isObject(data) ? { data } : {}),
    });
  } catch {
    return undefined;
  }
}

/** Forgets what an earlier daemon said. */
export function clearRefusal(dataDir: string): void {
  rmSync(path(dataDir), { force: true });
}

function path(dataDir: string): string {
  return join(dataDir, 'refused-start.json');
}
