import type { Redaction } from './redaction.ts';

const prefixPaths = (parent: string, paths: readonly string[]) =>
  paths.map((path) => `${parent}.${path}`);

const MARKS = ['minted', 'bound', 'claimed'].flatMap((mark) =>
  prefixPaths(mark, ['transaction', 'at']),
);
const ORDER = [
  ...['name', 'agent_class', 'operator_id', 'description', 'image', 'x402_support', 'wallet'],
  ...prefixPaths('services.*', ['name', 'endpoint', 'version']),
];

/** Shows the public passport. Hides the request's source and signatures. */
export const passportRedaction: Redaction = {
  kind: 'passport',
  context: [
    ...prefixPaths('ask.order', ORDER),
    ...['ask.at', 'agentId', 'transaction', 'fault.code', 'tries', 'consent.deadlineS'],
    ...MARKS,
    ...prefixPaths('revoked', ['at', 'reason']),
  ],
  hidden: [
    // Keys of signed calls: repeating one returns its answer.
    ...['ask.key', 'revoked.by'],
    ...['ask.src', 'consent.signature'],
    // Text from a chain node.
    'fault.message',
  ],
  events: {
    'xstate.init': prefixPaths('input.order', ORDER),
    'PASSPORT.ASKED': prefixPaths('ask.order', ORDER),
    'WALLET.SIGNED': ['consent.deadlineS'],
    'PASSPORT.REVOKED': ['reason', 'at'],
    'xstate.done.actor.*': [
      ...['actorId', 'output.state', 'output.transaction', 'output.at', 'output.fault.code'],
      'output.result.agentId',
    ],
  },
};
