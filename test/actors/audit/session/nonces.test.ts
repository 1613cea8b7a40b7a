import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  consentRequiredError,
  createNonces,
  type NonceScope,
} from '../../../../src/actors/audit/session/nonces.ts';
import { createPassportConsentRequest } from '../../../../src/domain/audit/passport-consent.ts';
import { systemRandom } from '../../../support/front-rig.ts';
import { realClock } from '../../../support/real-clock.ts';

const nonces = createNonces({
  mac: (text) => createHmac('sha256', 'key').update(text).digest('hex'),
  random: systemRandom,
  clock: { ...realClock, now: () => 1_000 },
});
const scope: NonceScope = {
  target: { kind: 'mcp_http', url: 'https://target.example/mcp' },
  plan: 'framework',
  probeSetVersion: 3,
  allowWrites: false,
};

test('a nonce agrees to what it was asked for, and to nothing else', () => {
  const others: readonly NonceScope[] = [
    { ...scope, allowWrites: true },
    { ...scope, plan: 'enterprise' },
    { ...scope, target: { kind: 'mcp_http', url: 'https://target.example/other' } },
    { ...scope, target: { kind: 'a2a_card', url: 'https://target.example/mcp' } },
    { ...scope, probeSetVersion: 4 },
  ];
  for (const one of [scope, ...others]) {
    const { nonce } = nonces.issue(one);
    expect(nonces.explainInvalid(nonce, one)).toBeUndefined();
    const wrong = [scope, ...others].filter((other) => other !== one);
    for (const other of wrong) expect(nonces.explainInvalid(nonce, other)).toBeTypeOf('string');
  }
});

test('who is asked to agree is told whether tools that write are called', () => {
  for (const allowWrites of [false, true]) {
    const asked = { ...scope, allowWrites };
    expect(consentRequiredError(nonces, asked, 'x').data).toMatchObject({
      allow_writes: allowWrites,
    });
    expect(createPassportConsentRequest(asked).text).toContain(`"allow_writes":${allowWrites}`);
  }
});
