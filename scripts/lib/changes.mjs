// Finds the files that changed since a check was last green, by their content.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKOUT } from './checkout.mjs';

/** Files that a check reads; generated and recorded files are not among them. */
const CHECKED =
  /^(src|web|test|scripts|bench|examples)\/.*\.(ts|tsx|mjs|json)$|^[^/]+\.(json|ts|cjs)$/;

/**
 * Lists the files that differ from those of the last green run. Files whose size and time did not
 * change are not read. Without an earlier run, the last commit is the base.
 *
 * @returns `{changed, save}`: paths from the checkout, and a function that stores the new base.
 */
export function changesSince(stateFile) {
  const before = readState(stateFile);
  const now = {};
  for (const path of listFiles()) now[path] = describe(path, before?.[path]);
  const changed = before === undefined ? changedSinceCommit() : differences(before, now);
  return { changed, save: () => writeState(stateFile, now) };
}

function listFiles() {
  const listed = git('ls-files', '--cached', '--others', '--exclude-standard');
  return listed.filter((path) => CHECKED.test(path) && existsSync(join(CHECKOUT, path)));
}

function changedSinceCommit() {
  const changed = [
    ...git('diff', '--name-only', 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  return changed.filter((path) => CHECKED.test(path) && existsSync(join(CHECKOUT, path)));
}

function differences(before, now) {
  const isNew = (path) => before[path]?.hash !== now[path].hash;
  return Object.keys(now).filter(isNew);
}

function describe(path, before) {
  const { size, mtimeMs } = statSync(join(CHECKOUT, path));
  if (before?.size === size && before.mtimeMs === mtimeMs) return before;
  const hash = createHash('sha256')
    .update(readFileSync(join(CHECKOUT, path)))
    .digest('hex');
  return { size, mtimeMs, hash };
}

function git(...args) {
  const { stdout, status } = spawnSync('git', args, {
    cwd: CHECKOUT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return status === 0 ? stdout.split('\n').filter(Boolean) : [];
}

function readState(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function writeState(file, state) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(state));
}
