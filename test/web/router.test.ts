import fc from 'fast-check';
import { expect, test } from 'vitest';
import { consoleUrl, parseUrl } from '../../web/src/shell/router.ts';

test('every id comes back out of the address that it was put into', () => {
  const hard = fc.constantFrom('.', '..', '~', '~.', '~~', '...', '/', '%2E');
  const anyPart = fc.oneof(hard, fc.string({ unit: 'grapheme', minLength: 1 }));
  fc.assert(
    fc.property(anyPart, fc.nat(), (id, at) => {
      const { parts, query } = parseUrl(consoleUrl(['actor', id], { at }));
      expect(parts).toEqual(['actor', id]);
      expect(query.get('at')).toBe(String(at));
    }),
  );
});

test('an id never looks like a file, a folder above, or another host', () => {
  const address = consoleUrl(['actor', '../x.js//evil.example']);
  expect(address).toBe('/console/actor/%2E%2E%2Fx%2Ejs%2F%2Fevil%2Eexample');
});

test('members of a query that are not set are left out', () => {
  expect(consoleUrl(['actors'], { kind: 'job', q: '', at: undefined })).toBe(
    '/console/actors?kind=job',
  );
});

test('the base alone and paths that cannot be decoded are still places', () => {
  expect(parseUrl('/console/').parts).toEqual([]);
  expect(parseUrl('/console/actor/%zz').parts).toEqual(['actor', '%zz']);
});
