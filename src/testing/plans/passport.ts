import type { PassportRequest } from '../../machines/passport/passport-context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { PathPlan } from '../path.ts';

const WALLET = `0x${'a1'.repeat(20)}`;
const AT = 1_700_000_000_000;

const done = { state: 'done', transaction: '0x01', result: null, at: AT };
const fault = { code: 'GAS_BUDGET', message: 'used up' };
const refused = { state: 'refused', fault, at: AT };
const unknown = { state: 'unknown', transaction: '0x02', detail: 'no receipt', at: AT };
const chainError: EffectError = {
  name: 'AppError',
  code: 'CHAIN_UNAVAILABLE',
  message: 'no answer',
};
const call = { done: [done, refused, unknown], error: [chainError] };

const passportAsk: PassportRequest = {
  order: {
    name: 'alpha',
    agent_class: 'research',
    operator_id: 'acme',
    description: 'Reads and writes.',
    image: 'https://agents.example/alpha.png',
    services: [{ name: 'web', endpoint: 'https://agents.example/', version: '1' }],
    x402_support: true,
    wallet: WALLET,
  },
  key: `${WALLET}:1`,
  src: 'path',
  at: AT,
};

/** Path plan of a passport. */
export const passportPlan: PathPlan = {
  inputs: { asked: passportAsk },
  effects: {
    register: { ...call, done: [{ ...done, result: { agentId: '7' } }, refused, unknown] },
    setWallet: call,
    transfer: call,
  },
  events: {
    'PASSPORT.ASKED': [{ ask: { ...passportAsk, key: `${WALLET}:2` } }],
    'WALLET.SIGNED': [{ consent: { deadlineS: AT / 1_000, signature: '0x03' } }],
    'CLAIM.ASKED': [{}],
    'PASSPORT.FORGOTTEN': [{}],
    'PASSPORT.REVOKED': [{ reason: 'the key was lost', by: `${WALLET}:3`, at: AT }],
  },
};
