import type { Usage } from '../common/usage.ts';
import { DATA, JSON_LINE } from './shared.ts';

const group = 'Money and wallets';

const CLIENT_FLAGS = {
  data: { ...DATA, about: 'Data directory of the running server' },
  url: { value: 'url', about: 'Address of the server, instead of --data' },
  'key-file': {
    value: 'file',
    about: 'Key of the wallet, instead of STOA_WALLET_KEY or STOA_WALLET_KEY_FILE',
  },
  json: JSON_LINE,
} as const;

/** What the commands under this heading take. */
export const MONEY = {
  faucet: {
    group,
    about: 'Send test money on the local chain. Needs a running server.',
    flags: {
      to: { value: '0x…', isRequired: true, about: 'Address that receives the money' },
      usd: { value: 'usd', default: '10', about: 'Amount in dollars' },
      data: DATA,
    },
    examples: ['stoa faucet --to 0x52908400098527886E0F7030069857D2E4169EE7 --usd 10'],
  },
  passport: {
    group,
    about: 'Manage agent passports: mint, show, bind, claim, revoke. Needs a running server.',
    examples: ['stoa passport show alpha', 'stoa help passport mint'],
  },
  passportMint: {
    about: 'Mint a passport for an agent, and bind it to your wallet.',
    flags: {
      name: { value: 'name', isRequired: true, about: 'Name of the agent' },
      class: { value: 'class', isRequired: true, about: 'Class of the agent, such as research' },
      'operator-id': { value: 'id', about: 'Who operates the agent' },
      description: { value: 'text', about: 'What the agent does' },
      image: { value: 'url', about: 'Address of its image' },
      service: {
        value: 'name=url',
        isMultiple: true,
        about: 'A service of the agent; repeatable',
      },
      x402: { about: 'The agent accepts x402 payments' },
      'no-bind': { about: 'Do not bind the wallet yet' },
      ...CLIENT_FLAGS,
    },
    examples: ['stoa passport mint --name alpha --class research --key-file agent.key'],
  },
  passportShow: {
    about: 'Print a passport.',
    args: { subject: { about: 'Name, agent id or wallet' } },
    flags: CLIENT_FLAGS,
    examples: ['stoa passport show alpha'],
  },
  passportBind: {
    about: 'Bind your wallet to a passport.',
    args: { subject: { about: 'Name of the agent' } },
    flags: CLIENT_FLAGS,
    examples: ['stoa passport bind alpha --key-file agent.key'],
  },
  passportClaim: {
    about: 'Transfer the token of a passport to its wallet.',
    args: { subject: { about: 'Name of the agent' } },
    flags: CLIENT_FLAGS,
    examples: ['stoa passport claim alpha --key-file agent.key'],
  },
  passportRevoke: {
    about: 'Revoke a passport for good. Its name stays taken.',
    args: { subject: { about: 'Name of the agent' } },
    flags: {
      reason: { value: 'text', isRequired: true, about: 'Why; it will be public' },
      ...CLIENT_FLAGS,
    },
    examples: ['stoa passport revoke alpha --reason "key lost" --key-file agent.key'],
  },
} as const satisfies Readonly<Record<string, Usage>>;
