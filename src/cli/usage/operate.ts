import type { Usage } from '../common/usage.ts';
import { DATA, JSON_LINE } from './shared.ts';

const group = 'Operate';

/** What the commands under this heading take. */
export const OPERATE = {
  doctor: {
    group,
    about:
      'Check the requirements of each feature and how to install them. ' +
      'The exit code is 1 if something without a substitute is missing.',
    flags: {
      fix: { about: 'Install what is missing, each after confirmation' },
      yes: { about: 'Answer every question with yes' },
      data: DATA,
    },
    examples: ['stoa doctor', 'stoa doctor --fix'],
  },
  console: {
    group,
    about: 'Print a one-time link to the console of the running server.',
    flags: { data: DATA },
    examples: ['stoa console'],
  },
  sources: {
    group,
    about: 'Check the upstreams of the data tools. Needs the internet, but no server.',
    args: { upstreams: { isOptional: true, isMultiple: true, about: 'Upstreams; all if omitted' } },
    flags: { json: JSON_LINE },
    examples: ['stoa sources', 'stoa sources coinbase --json'],
  },
  control: {
    group,
    about: 'List the controls of the server, or set a label. Needs a running server.',
    examples: ['stoa control list', 'stoa help control set'],
  },
  controlList: {
    about: 'List the controls, and what each one cannot do.',
    flags: { data: DATA, json: JSON_LINE },
    examples: ['stoa control list'],
  },
  controlSet: {
    about: 'Set the label of a control. The reason is kept.',
    args: {
      id: { about: 'Id of the control, from `stoa control list`' },
      label: { about: 'LIVE, SHADOW or OFF' },
    },
    flags: {
      why: { value: 'text', isRequired: true, about: 'Reason of the change' },
      who: { value: 'name', about: 'Who changes it' },
      data: DATA,
    },
    examples: ['stoa control set payer-binding OFF --why "a drill" --who ops-1'],
  },
  hosting: {
    group,
    about: 'Stop the programs and the router of hosted services.',
    examples: ['stoa hosting stop'],
  },
  hostingStop: {
    about: 'Stop the programs and the router of hosted services. Stop the server first.',
    flags: { data: DATA, json: JSON_LINE },
    examples: ['stoa hosting stop --data ./data'],
  },
  store: {
    group,
    about: 'Check the store of an engine for damage, or salvage it.',
    examples: ['stoa store check ./data', 'stoa help store salvage'],
  },
  storeCheck: {
    about:
      'List the damage of a store, and what can be recovered. Only reads; stop its program. ' +
      'The exit code is 1 if something is damaged.',
    args: { folder: { about: 'Folder that contains data.mdb, of any program' } },
    flags: { json: JSON_LINE },
    examples: ['stoa store check ./data', 'stoa store check ./data/store/actors --json'],
  },
  storeSalvage: {
    about:
      'Write every actor that can be read to a new store, each up to its last readable row. ' +
      'The exit code is 1 if something is lost.',
    args: {
      folder: { about: 'Folder that contains data.mdb, of any program' },
      target: { about: 'Folder of the new store' },
    },
    flags: { json: JSON_LINE },
    examples: ['stoa store salvage ./data ./recovered'],
  },
  token: {
    group,
    about: 'Manage tokens of the hosting server: create, list, revoke.',
    examples: ['stoa token list', 'stoa help token create'],
  },
  tokenCreate: {
    about: 'Create a token. It is shown once; only its hash is stored.',
    flags: {
      name: { value: 'name', isRequired: true, about: 'What the token is for' },
      workspace: { value: 'id', about: 'The only workspace that it reaches, tea-…' },
      toolsets: { value: 'a,b', about: 'The only tool groups that it may call; all if omitted' },
      'read-only': { about: 'Allow only tools that change nothing' },
      data: DATA,
      json: JSON_LINE,
    },
    examples: ['stoa token create --name ci --toolsets services,deploys,logs'],
  },
  tokenList: {
    about: 'List the tokens, without their values.',
    flags: { data: DATA, json: JSON_LINE },
    examples: ['stoa token list'],
  },
  tokenRevoke: {
    about: 'Revoke a token.',
    args: { id: { about: 'Id of the token, from `stoa token list`' } },
    flags: { data: DATA, json: JSON_LINE },
    examples: ['stoa token revoke tok-1'],
  },
  proofs: {
    group,
    about: 'Create a new HMAC key for records, or anchor the proof log now.',
    examples: ['stoa proofs rotate-key', 'stoa proofs anchor'],
  },
  proofsRotateKey: {
    about: 'Create a new HMAC key for future records. Also works while the server is stopped.',
    flags: { data: DATA },
    examples: ['stoa proofs rotate-key --data ./data'],
  },
  proofsAnchor: {
    about: 'Anchor the proof log on the chain now. Needs a running server.',
    flags: { data: DATA },
    examples: ['stoa proofs anchor --data ./data'],
  },
  erase: {
    group,
    about: 'Erase a wallet or an agent from every store. Every proof still verifies.',
    args: { subject: { about: 'Wallet, or name of an agent' } },
    flags: { data: DATA },
    examples: ['stoa erase 0x52908400098527886E0F7030069857D2E4169EE7 --data ./data'],
  },
  contracts: {
    group,
    about: 'Deploy the contracts that are missing on an external chain.',
    examples: ['stoa contracts deploy'],
  },
  contractsDeploy: {
    about:
      'Deploy the missing contracts to the chain of STOA_RPC_URL, and print all their variables. ' +
      'Set STOA_TOKEN_ADDRESS and STOA_OPERATOR_KEY too.',
    flags: { json: JSON_LINE, data: DATA },
    examples: ['stoa contracts deploy'],
  },
} as const satisfies Readonly<Record<string, Usage>>;
