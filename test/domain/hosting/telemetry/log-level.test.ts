import { expect, test } from 'vitest';
import { detectLevel } from '../../../../src/domain/hosting/telemetry/log-level.ts';

test.each([
  ['{"level":"warn","msg":"x"}', 'warning'],
  ['{"time":1,"severity": "ERROR","message":"x"}', 'error'],
  ['{"level":30,"pid":1}', 'info'],
  ['{"level":60,"pid":1}', 'critical'],
  ['{"level":"loud","msg":"ERROR"}', 'info'],
  ['time=2026-11-22T08:00:00Z level=error msg="boom"', 'error'],
  ['ts=1 lvl=debug', 'debug'],
  ['[WARN] low', 'warning'],
  ['[2026-11-22 08:00:00,123] ERROR in app: boom', 'error'],
  ['2026-11-22T08:00:00Z INFO started', 'info'],
  ['2026-11-22T08:00:00.123456Z  WARN app::db: slow', 'warning'],
  ['\u001b[31mERROR\u001b[0m boom', 'error'],
  ['error: cannot find module', 'error'],
  ['npm ERR! code 1', 'error'],
  ['npm warn deprecated', 'warning'],
  ['warn  - Fast Refresh', 'warning'],
  ['CRITICAL disk', 'critical'],
  ['fatal: not a git repository', 'critical'],
  ['panic: runtime error', 'critical'],
  ["thread 'main' panicked at src/main.rs:2", 'critical'],
  ['TypeError: x is not a function', 'error'],
  ['java.lang.IllegalStateException: no', 'info'],
  ['Uncaught RangeError: no', 'error'],
  ['Traceback (most recent call last):', 'error'],
  ['DEBUG=* npm start', 'debug'],
  ['Error handling middleware is on', 'info'],
  ['information desk', 'info'],
  ['ERRORS found: 0', 'info'],
  ['No errors. Level = error free', 'info'],
  ['', 'info'],
  ['{"msg":"no level here"}', 'info'],
])('%j is %s', (line, level) => {
  expect(detectLevel(line)).toBe(level);
});

test('a long line of anything is looked at in no time', () => {
  const begun = performance.now();
  for (const piece of ['[', '{"level":', 'level=', ' ', 'a', '\u001b[']) {
    for (let n = 0; n < 50; n += 1) detectLevel(piece.repeat(8_000));
  }
  expect(performance.now() - begun).toBeLessThan(2_000);
});
