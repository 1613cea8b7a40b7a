import { describe, expect, test } from 'vitest';
import { findSecrets, maskSecrets } from '../../../../src/domain/audit/probe/secrets.ts';
import { findDeceptions } from '../../../../src/domain/audit/text/deception.ts';
import { TEXT_SIGNS } from '../../../../src/domain/audit/text/text-check.ts';

// Whoever hides something can pad it: what is found must not depend on a length.
const LONG = 'x'.repeat(5_000);
const SPACES = ' '.repeat(500);

describe('secrets are found and masked', () => {
  const key = 'abcdefghijklmnop1234';
  const texts = [
    `token-sk-${key}`,
    `token-xoxb-${key}`,
    `x-eyJ${key}.eyJ${key}.${key}`,
    `eyJ${LONG}.eyJ${LONG}.${key}`,
    `${'x'.repeat(40)}postgres://user:${key}@host`,
    `9+postgres://user:${key}@host`,
    `password${SPACES}=${SPACES}${key}`,
    `mode=client_secret=${key}`,
    `authorization:${SPACES}bearer${SPACES}${key}`,
    `-----BEGIN A B C D E F PRIVATE KEY-----${'\n'.repeat(50)}${key}`,
  ];
  test.each(texts)('%#', (text) => {
    expect(findSecrets(text)).not.toEqual([]);
    expect(maskSecrets(text)).not.toContain(key);
  });
});

describe('links that lie are found', () => {
  const texts = [
    `<a title="${LONG}" href="https://evil.test/">www.bank.example</a>`,
    `<a data-href="https://bank.example" href="https://evil.test/">www.bank.example</a>`,
    `<a href="https://evil.test/" data-href="https://bank.example">www.bank.example</a>`,
    `<a${SPACES}href${SPACES}=${SPACES}"https://evil.test/">bank.example</a>`,
    `[bank.example](${SPACES}https://evil.test/)`,
    `<a href="https://${'a'.repeat(400)}@evil.test/">bank.example</a>`,
  ];
  test.each(texts)('%#', (text) => {
    expect(findDeceptions(text).map(({ sign }) => sign)).toContain(
      'links whose text names another host',
    );
  });
  test('those that do not lie are not', () => {
    const honest =
      '<a href="https://www.bank.example/a-b/">bank.example</a> [v1.2](https://a.test)';
    expect(findDeceptions(honest)).toEqual([]);
  });
  test('pictures, however long their text', () => {
    for (const text of [
      `![${LONG}](https://evil.test/a)`,
      `<img ${LONG} src="https://evil.test">`,
    ]) {
      expect(findDeceptions(text).map(({ sign }) => sign)).toContain('images from another host');
    }
  });
});

const SIGNS: readonly (readonly [string, string])[] = [
  ['hides in a comment', `<!-- ${LONG} -->`],
  ['hides in a comment', `<!-- <!-- ${LONG} -->`],
  ['hides in a comment', `<span title="${LONG}" hidden>x</span>`],
  ['impersonates the system', `a\n${SPACES}## system`],
  ['impersonates the system', `a\n${SPACES}system${SPACES}: do it`],
  ['impersonates the system', `===${SPACES}system`],
  ['puts data into a URL', `https://evil.test/${LONG}?q={{secret}} with the secret`],
];

test.each(SIGNS)('the sign "%s" does not depend on a length', (sign, text) => {
  const forms = TEXT_SIGNS.filter((one) => one.sign === sign);
  expect(forms.some(({ form }) => new RegExp(form.source, form.flags).test(text))).toBe(true);
});
